/** What the dialog has fields for, as they are written. */
export interface JobDraft {
	/** Id; empty for none. */
	readonly dataset: string;
	/** Id of a version of the dataset; empty for the newest. */
	readonly version: string;
	/** Ids; every example where there are none. */
	readonly splits: readonly string[];
	/** Paths into the example, by the name of the variable. */
	readonly paths: Readonly<Record<string, string>>;
	readonly append: string;
	readonly repetitions: string;
	readonly maxCost: string;
	readonly name: string;
}

/** The body of a job that runs columns over a dataset. */
export interface DatasetRun {
	readonly kind: "run";
	readonly dataset_id: string;
	readonly variants: readonly Record<string, unknown>[];
	readonly repetitions: number;
	readonly version_id?: string;
	readonly splits?: readonly string[];
	readonly variables?: Readonly<Record<string, { readonly path: string }>>;
	readonly append_messages?: string;
	readonly max_cost_usd?: number;
	readonly name?: string;
}

const MAX_REPETITIONS = 1_000;
const MAX_COST = 1e6;

export function blankJob(dataset: string, repetitions: number): JobDraft {
	return {
		...{ dataset, version: "", splits: [], paths: {}, append: "" },
		...{ repetitions: String(repetitions), maxCost: "", name: "" },
	};
}

export interface CheckedJob {
	/** Undefined while something is missing or wrong. */
	readonly body?: DatasetRun;
	readonly problems: ReadonlySet<"repetitions" | "maxCost">;
}

/** The body of the job. @param names of all variables of the columns */
export function checkJob(
	draft: JobDraft,
	variants: readonly Record<string, unknown>[],
	names: readonly string[],
): CheckedJob {
	const problems = new Set<"repetitions" | "maxCost">();
	const repetitions = Number(draft.repetitions);
	if (!Number.isInteger(repetitions) || repetitions < 1 || repetitions > MAX_REPETITIONS) problems.add("repetitions");
	const cost = draft.maxCost.trim() === "" ? undefined : Number(draft.maxCost);
	if (cost !== undefined && !(cost > 0 && cost <= MAX_COST)) problems.add("maxCost");
	if (problems.size > 0 || draft.dataset === "") return { problems };
	const variables = mappingOf(draft.paths, names);
	return {
		problems,
		body: {
			...{ kind: "run", dataset_id: draft.dataset, variants, repetitions },
			...(draft.version === "" ? {} : { version_id: draft.version }),
			...(draft.splits.length === 0 ? {} : { splits: draft.splits }),
			...(variables === undefined ? {} : { variables }),
			...(draft.append.trim() === "" ? {} : { append_messages: draft.append.trim() }),
			...(cost === undefined ? {} : { max_cost_usd: cost }),
			...(draft.name.trim() === "" ? {} : { name: draft.name.trim() }),
		},
	};
}

/** Once one variable has a path, the server looks at no member of the input by itself: the others get theirs here. */
function mappingOf(paths: JobDraft["paths"], names: readonly string[]): DatasetRun["variables"] {
	const written = (name: string) => (paths[name] ?? "").trim();
	if (names.every((name) => written(name) === "")) return undefined;
	return Object.fromEntries(names.map((name) => [name, { path: written(name) || `input.${JSON.stringify(name)}` }]));
}
