# One job a run tuple.


for kernel in KERNELS:

    rule:
        name:
            f"compile_{kernel}"
        output:
            KERNELS[kernel],
        log:
            f"{RESULTS}/logs/compile_{kernel}.log",
        conda:
            ENVIRONMENT
        params:
            kernel=kernel,
        message:
            "Compiling the {params.kernel}"
        shell:
            "python -m metatrace compile --kernel {params.kernel} --output {output:q} > {log:q} 2>&1"


rule run_mountain_car:
    input:
        # Its name tells its contents; its age tells nothing.
        kernel=ancient(kernel_file),
    output:
        f"{RUNS}/{{environment}}/{RUN}.npz",
    log:
        f"{RESULTS}/logs/runs/{{environment}}/{RUN}.log",
    wildcard_constraints:
        environment="mountain_car|drifting_mountain_car",
    conda:
        ENVIRONMENT
    params:
        run=run_of,
    message:
        "Run: {wildcards.environment}, {wildcards.method}, α {wildcards.alpha}, μ {wildcards.mu},"
        " drift {wildcards.drift}, seed {wildcards.seed}"
    shell:
        "python -m metatrace run --environment {wildcards.environment} --method {wildcards.method}"
        " --alpha {wildcards.alpha} --mu {wildcards.mu} --drift {wildcards.drift} --seed {wildcards.seed}"
        " --episodes {params.run[episodes]} {params.run[readings]}"
        " --kernel {input.kernel:q} --output {output:q} > {log:q} 2>&1"
