# One job a run tuple.


rule compile_mountain_car:
    output:
        KERNEL,
    log:
        f"{RESULTS}/logs/compile_mountain_car.log",
    conda:
        ENVIRONMENT
    message:
        "Compiling the mountain car kernel"
    shell:
        "python -m metatrace compile --output {output:q} > {log:q} 2>&1"


rule run_mountain_car:
    input:
        # Its name tells its contents; its age tells nothing.
        kernel=ancient(KERNEL),
    output:
        f"{RUNS}/mountain_car/{{method}}/alpha~{{alpha}}/mu~{{mu}}/drift~0/seed~{{seed}}.npz",
    log:
        f"{RESULTS}/logs/runs/mountain_car/{{method}}/alpha~{{alpha}}/mu~{{mu}}/drift~0/seed~{{seed}}.log",
    conda:
        ENVIRONMENT
    params:
        run=run_of,
    message:
        "Run: mountain car, {wildcards.method}, α {wildcards.alpha}, μ {wildcards.mu}, seed {wildcards.seed}"
    shell:
        "python -m metatrace run --environment mountain_car --method {wildcards.method}"
        " --alpha {wildcards.alpha} --mu {wildcards.mu} --seed {wildcards.seed}"
        " --episodes {params.run[episodes]} {params.run[readings]}"
        " --kernel {input.kernel:q} --output {output:q} > {log:q} 2>&1"
