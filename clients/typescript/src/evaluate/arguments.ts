import { parseArgs } from "node:util";
import { usageFailure } from "./exit.ts";

const GATE_OPTIONS = {
	require: { type: "string", multiple: true },
	baseline: { type: "string" },
	"baseline-optional": { type: "boolean" },
	"allow-incomplete": { type: "boolean" },
	junit: { type: "string" },
	markdown: { type: "string" },
	"tag-on-pass": { type: "string" },
	json: { type: "boolean" },
	url: { type: "string" },
} as const;

const RUN_OPTIONS = {
	...GATE_OPTIONS,
	dataset: { type: "string" },
	"version-id": { type: "string" },
	split: { type: "string", multiple: true },
	name: { type: "string" },
	repetitions: { type: "string" },
	experiment: { type: "string" },
	task: { type: "string" },
	prompt: { type: "string" },
	connection: { type: "string" },
	model: { type: "string" },
	"max-cost": { type: "string" },
	evaluator: { type: "string", multiple: true },
	concurrency: { type: "string" },
	"no-trace": { type: "boolean" },
} as const;

/** What belongs to a new experiment, and not to one that is gone on with. */
const OF_NEW = [
	...(["dataset", "version-id", "split", "name", "repetitions"] as const),
	...(["prompt", "connection", "model"] as const),
];
/** Names that the server takes; everything else is a file. */
const NAME_ON_SERVER = /^[a-z0-9]([_a-z0-9-]*[a-z0-9])?$/;

export interface GateArguments {
	readonly requirements: readonly string[];
	readonly baseline: string | undefined;
	readonly isBaselineOptional: boolean;
	readonly mayBeIncomplete: boolean;
	/** Files to write. */
	readonly junit: string | undefined;
	readonly markdown: string | undefined;
	readonly tagOnPass: string | undefined;
	readonly isJson: boolean;
	readonly url: string | undefined;
}

export interface RunArguments extends GateArguments {
	/** A new experiment, or the id of one that is gone on with. */
	readonly experiment: NewExperimentArguments | string;
	/** File of the task; undefined where the server runs a prompt. */
	readonly task: string | undefined;
	/** Files of evaluators. */
	readonly files: readonly string[];
	/** Names of evaluators of the server. */
	readonly names: readonly string[];
	/** US dollars that the server may spend. */
	readonly maxCost: number | undefined;
	readonly concurrency: number;
	readonly isTraced: boolean;
	/** The arguments that go on with an experiment, but for its id. */
	readonly toResume: readonly string[];
}

export interface NewExperimentArguments {
	readonly dataset: string;
	readonly versionId: string | undefined;
	readonly splits: readonly string[];
	readonly name: string | undefined;
	readonly repetitions: number;
	/** What the server runs; undefined where this program runs a task. */
	readonly prompt: PromptArguments | undefined;
}

interface PromptArguments {
	readonly name: string;
	readonly tag: string | undefined;
	/** Id or name. */
	readonly connection: string;
	readonly model: string | undefined;
}

/** @throws ProgramFailure 64 */
export function readGateArguments(args: readonly string[]): GateArguments & { readonly experiment: string } {
	const { values } = parsed(() =>
		parseArgs({ args: [...args], options: { ...GATE_OPTIONS, experiment: RUN_OPTIONS.experiment } }),
	);
	if (values.experiment === undefined)
		throw usageFailure("--experiment <id> is missing: which one is to be looked at?");
	if (values.require === undefined)
		throw usageFailure(`--require is missing, such as --require "mean('correctness') >= 0.8".`);
	return { ...toGateArguments(values), experiment: values.experiment };
}

/** @throws ProgramFailure 64 */
export function readRunArguments(args: readonly string[]): RunArguments {
	const { values, tokens } = parsed(() => parseArgs({ args: [...args], options: RUN_OPTIONS, tokens: true }));
	const { dataset, experiment, task, prompt, connection } = values;
	if ((dataset === undefined) === (experiment === undefined))
		throw usageFailure("Either --dataset <name> for a new experiment, or --experiment <id> to go on with one.");
	const tooMany = experiment === undefined ? undefined : OF_NEW.find((option) => values[option] !== undefined);
	if (tooMany !== undefined)
		throw usageFailure(`--${tooMany} is for a new experiment: leave it out with --experiment.`);
	if (dataset !== undefined && (task === undefined) === (prompt === undefined))
		throw usageFailure("Either --task <file> or --prompt <name>: what is to be run on each example?");
	if ((prompt === undefined) !== (connection === undefined))
		throw usageFailure("--prompt and --connection go together: the server asks that model.");
	const evaluators = Map.groupBy(values.evaluator ?? [], (one) => NAME_ON_SERVER.test(one));
	if (values.require === undefined) {
		const needless = ["baseline", "junit", "markdown", "tag-on-pass"].find((option) => Object.hasOwn(values, option));
		if (needless !== undefined) throw usageFailure(`--${needless} needs a --require.`);
	}
	const toResume = tokens.flatMap((token) => {
		if (token.kind !== "option" || ["experiment", ...OF_NEW].includes(token.name)) return [];
		// The job of a prompt has its evaluators.
		if (token.name === "evaluator" && prompt !== undefined && NAME_ON_SERVER.test(token.value ?? "")) return [];
		return token.value === undefined ? [`--${token.name}`] : [`--${token.name}`, token.value];
	});
	return {
		...toGateArguments(values),
		experiment: experiment ?? {
			dataset: dataset ?? "",
			versionId: values["version-id"],
			splits: values.split ?? [],
			name: values.name,
			repetitions: count(values.repetitions, "repetitions", 1),
			prompt: prompt === undefined ? undefined : toPrompt(prompt, connection ?? "", values.model),
		},
		...{ task, files: evaluators.get(false) ?? [], names: evaluators.get(true) ?? [] },
		maxCost: dollars(values["max-cost"]),
		concurrency: count(values.concurrency, "concurrency", 5),
		isTraced: values["no-trace"] !== true,
		toResume,
	};
}

function toPrompt(given: string, connection: string, model: string | undefined): PromptArguments {
	const [, name = given, tag] = /^(.+)@(.+)$/.exec(given) ?? [];
	return { name, tag, connection, model };
}

interface GateValues {
	readonly require?: string[] | undefined;
	readonly baseline?: string | undefined;
	readonly "baseline-optional"?: boolean | undefined;
	readonly "allow-incomplete"?: boolean | undefined;
	readonly junit?: string | undefined;
	readonly markdown?: string | undefined;
	readonly "tag-on-pass"?: string | undefined;
	readonly json?: boolean | undefined;
	readonly url?: string | undefined;
}

function toGateArguments(values: GateValues): GateArguments {
	return {
		requirements: values.require ?? [],
		baseline: values.baseline,
		isBaselineOptional: values["baseline-optional"] === true,
		mayBeIncomplete: values["allow-incomplete"] === true,
		junit: values.junit,
		markdown: values.markdown,
		tagOnPass: values["tag-on-pass"],
		isJson: values.json === true,
		url: values.url,
	};
}

function parsed<T>(parse: () => T): T {
	try {
		return parse();
	} catch (error) {
		// What parseArgs throws has a code of its own.
		if (!(error instanceof TypeError)) throw error;
		throw usageFailure(error.message.split(". ")[0]?.replace(/\.?$/, ".") ?? error.message);
	}
}

function count(given: string | undefined, option: string, byDefault: number): number {
	const number = given === undefined ? byDefault : Number(given);
	if (!Number.isSafeInteger(number) || number < 1) throw usageFailure(`--${option} takes a whole number from 1.`);
	return number;
}

function dollars(given: string | undefined): number | undefined {
	const cost = given === undefined ? undefined : Number(given);
	if (cost !== undefined && !(cost > 0 && Number.isFinite(cost))) throw usageFailure("--max-cost takes US dollars.");
	return cost;
}
