# One job per run, and the compiled kernels that runs need.


for kernel in KERNELS:

    rule:
        name:
            f"compile_{kernel}"
        output:
            KERNELS[kernel],
        log:
            f"{RESULTS}/logs/compile_{kernel}.log",
        priority: 20
        conda:
            ENVIRONMENT
        params:
            job=PLAN.kernel_job(kernel),
        message:
            "Compiling the {params.job[kernel]}"
        shell:
            "python -m metatrace compile --kernel {params.job[kernel]} --output {output:q} > {log:q} 2>&1"


for domain in PLAN.domains():

    rule:
        name:
            f"run_{domain.name}"
        input:
            # The run's own fingerprint covers the kernel's code; times only say how long a cluster should give a run.
            kernel=ancient(kernel_files),
            times=ancient(PLAN.times_files(domain)),
        output:
            f"{RESULTS}/{{place}}runs/{{environment}}/{RUN}.npz",
        log:
            f"{RESULTS}/logs/{{place}}runs/{{environment}}/{RUN}.log",
        wildcard_constraints:
            environment=any_of(PLAN.folders(domain)),
        priority: PLAN.priority(domain)
        conda:
            ENVIRONMENT
        threads: 1
        resources:
            **PLAN.resources(domain, run_of),
        params:
            job=run_job,
            # By its own name, which is not always that of its folder. With `input`, it makes no run stale.
            environment=lambda wildcards, input: run_of(wildcards).key.environment,
            # A checkpoint is no output: Snakemake removes the outputs of a job that failed or was killed.
            files=lambda wildcards, input: PLAN.run_options(run_of(wildcards), input.kernel),
        message:
            "Run: {params.environment}, {wildcards.method}, α {wildcards.alpha}, μ {wildcards.mu},"
            " drift {wildcards.drift}, seed {wildcards.seed}"
        shell:
            "python -m metatrace run --environment {params.environment} --method {wildcards.method}"
            " --alpha {wildcards.alpha} --mu {wildcards.mu} --drift {wildcards.drift} --seed {wildcards.seed}"
            " {params.job[options]} {params.files} --output {output:q} > {log:q} 2>&1"


for domain in PLAN.long_domains():

    rule:
        name:
            f"frame_times_{domain.name}"
        input:
            kernel=ancient(PLAN.kernel_files(domain, PLAN.methods_in(domain))),
        output:
            PLAN.times_files(domain),
        log:
            f"{RESULTS}/logs/frame_times_{domain.name}.log",
        priority: 20
        conda:
            ENVIRONMENT
        params:
            trial=PLAN.trial(domain),
            domain=domain.name,
        message:
            "Measuring how long a frame of {params.domain} takes"
        shell:
            "python -m metatrace estimate {params.trial} --output {output:q} > {log:q} 2>&1"
