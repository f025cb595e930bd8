# One job a run tuple.


for kernel in KERNELS:

    rule:
        name:
            f"compile_{kernel}"
        output:
            KERNELS[kernel],
        log:
            f"{RESULTS}/logs/compile_{kernel}.log",
        priority: FIRST
        conda:
            ENVIRONMENT
        params:
            kernel=kernel,
            code=FINGERPRINTS[f"compile_{kernel}"],
        message:
            "Compiling the {params.kernel}"
        shell:
            "python -m metatrace compile --kernel {params.kernel} --output {output:q} > {log:q} 2>&1"


rule run_mountain_car:
    input:
        # Its name tells its contents; its age tells nothing.
        kernel=ancient(kernel_file),
    output:
        f"{RESULTS}/{{place}}runs/{{environment}}/{RUN}.npz",
    log:
        f"{RESULTS}/logs/{{place}}runs/{{environment}}/{RUN}.log",
    wildcard_constraints:
        environment="mountain_car|drifting_mountain_car",
    priority: FIRST
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
        " --episodes {params.run[length]} {params.run[readings]}"
        " --kernel {input.kernel:q} --output {output:q} > {log:q} 2>&1"


rule frame_times:
    input:
        kernel=ancient(KERNELS["step_kernel"]),
    output:
        f"{RESULTS}/frame_times.json",
    log:
        f"{RESULTS}/logs/frame_times.log",
    priority: FIRST
    conda:
        ENVIRONMENT
    params:
        frames=words(f"{method}=0" for method in GAME_METHODS),
        device=ASKED.device,
    message:
        "Measuring how long a frame of a game takes"
    shell:
        "python -m metatrace estimate --frames {params.frames} --device {params.device}"
        " --kernel {input.kernel:q} --output {output:q} > {log:q} 2>&1"


rule run_game:
    input:
        kernel=ancient(KERNELS["step_kernel"]),
        # Only for how long a cluster should give the run.
        times=ancient(f"{RESULTS}/frame_times.json"),
    output:
        f"{RESULTS}/{{place}}runs/{{environment}}/{RUN}.npz",
    log:
        f"{RESULTS}/logs/{{place}}runs/{{environment}}/{RUN}.log",
    wildcard_constraints:
        environment="|".join(games.READINGS),
    conda:
        ENVIRONMENT
    threads: 1
    resources:
        mem_mb=700,
        runtime=game_minutes,
        # With `--resources gpu=8`, eight runs share a card; without it, as many as there are cores.
        gpu=0 if ASKED.device == "cpu" else 1,
    params:
        run=run_of,
        device=ASKED.device,
        # No output of this rule: Snakemake removes the outputs of a job that failed or was killed.
        checkpoint=f"{RESULTS}/{{place}}checkpoints/{{environment}}/{RUN}.npz",
    message:
        "Run: {wildcards.environment}, {wildcards.method}, α {wildcards.alpha}, μ {wildcards.mu},"
        " seed {wildcards.seed}"
    shell:
        "python -m metatrace run --environment {wildcards.environment} --method {wildcards.method}"
        " --alpha {wildcards.alpha} --mu {wildcards.mu} --seed {wildcards.seed}"
        " --frames {params.run[length]} {params.run[readings]} --device {params.device}"
        " --checkpoint {params.checkpoint:q}"
        " --kernel {input.kernel:q} --output {output:q} > {log:q} 2>&1"
