# One job a run tuple.

KERNEL = f"results/kernels/{presentation.kernel_name(FINGERPRINTS)}"
READINGS = words(f"--reading {key}={value}" for key, value in ASKED.readings.items())
EPISODES = {run: episodes for run, episodes in ASKED.runs().items()}


def episodes_of(wildcards):
    """How many episodes the config asks of a run; a tuple that it does not ask for is no job."""
    identity = experiments.RunTuple(
        "mountain_car", wildcards.method, wildcards.alpha, wildcards.mu, "0", int(wildcards.seed)
    )
    if identity not in EPISODES:
        raise WorkflowError(f"the config asks for no run {identity.path(RESULTS + '/runs')}")
    return EPISODES[identity]


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
        f"{RESULTS}/runs/mountain_car/{{method}}/alpha~{{alpha}}/mu~{{mu}}/drift~0/seed~{{seed}}.npz",
    params:
        run=lambda wildcards: {
            "code": FINGERPRINTS["run_mountain_car"],
            "episodes": episodes_of(wildcards),
            "readings": READINGS,
        },
    log:
        f"{RESULTS}/logs/runs/mountain_car/{{method}}/alpha~{{alpha}}/mu~{{mu}}/drift~0/seed~{{seed}}.log",
    conda:
        ENVIRONMENT
    message:
        "Run: mountain car, {wildcards.method}, α {wildcards.alpha}, μ {wildcards.mu}, seed {wildcards.seed}"
    shell:
        "python -m metatrace run --environment mountain_car --method {wildcards.method}"
        " --alpha {wildcards.alpha} --mu {wildcards.mu} --seed {wildcards.seed}"
        " --episodes {params.run[episodes]} {params.run[readings]}"
        " --kernel {input.kernel:q} --output {output:q} > {log:q} 2>&1"
