import type { z } from "zod";
import type { CallFailure, CallResult } from "#models/call-model.ts";
import type { StoredInvocationParameters } from "#models/definition-schemas.ts";
import type { ModelError } from "#models/model-error.ts";
import type { ModelAnswer, ModelMessage, ModelRequest } from "#models/model-request.ts";
import { type Evaluation, failedOutputs, type OutputResult } from "../evaluation-result.ts";
import type { EvaluatorVersion } from "../evaluator-version.ts";
import type { InputValues } from "../mapping.ts";
import type { EvaluatorOutput } from "../outputs.ts";
import { type Lessons, lessonOf, VERDICT_MODES, type VerdictMode } from "./lessons.ts";
import { placeInputs } from "./place-inputs.ts";
import { readVerdict } from "./read-verdict.ts";
import type { PlacingFormat, TemplateMessage } from "./template-variables.ts";
import { verdictSchema, verdictWords } from "./verdict-form.ts";

/** A variant with what its prompt version says, and the connection's default model where it names none. */
export interface ResolvedVariant {
	readonly connectionId: number;
	readonly model: string;
	readonly messages: readonly TemplateMessage[];
	readonly format: PlacingFormat;
	readonly invocationParameters?: z.output<typeof StoredInvocationParameters>;
}

/** Sends a request through the variant's connection. Rejects for nothing that a provider does. */
export type Ask = (request: ModelRequest) => Promise<CallResult | CallFailure>;

type JudgeVersion = Extract<EvaluatorVersion, { kind: "LLM" }>;

export type Judged = Omit<Evaluation, "latencyMs" | "traceId">;

/** Characters of an unusable answer that the judge is shown again. */
const SHOWN_ANSWER = 4_000;
const TOOL = "give_verdict";

/** Asks a model for its verdict, shows it its mistake once, and never makes a verdict up. */
export async function judge(
	version: JudgeVersion,
	variant: ResolvedVariant,
	inputs: InputValues,
	{ ask, lessons }: { readonly ask: Ask; readonly lessons: Lessons },
): Promise<Judged> {
	const { outputs } = version;
	const placed = placeInputs(variant.messages, inputs, {
		format: variant.format,
		maxInputChars: version.max_input_chars,
		whenTooLong: version.when_too_long,
		includeImages: version.include_images,
		instructions: verdictWords(outputs),
	});
	const tally = new Tally(variant.model);
	if ("tooLong" in placed)
		return tally.failed(outputs, { code: "too_long", message: placed.tooLong, isPassing: false });
	if ("missing" in placed) {
		const message = `the messages name what no input has: ${placed.missing}`;
		return tally.failed(outputs, { code: "missing_input", message, isPassing: false });
	}
	tally.begin(placed);
	const learned = await lessons.find(variant.connectionId, variant.model);
	const known = VERDICT_MODES.find((mode) => learned.has(lessonOf(mode)));
	const modes = known === undefined ? VERDICT_MODES : [known, ...VERDICT_MODES.filter((mode) => mode !== known)];
	const inMode = (mode: VerdictMode, messages: readonly ModelMessage[]) => requestOf(variant, outputs, mode, messages);
	for (const [at, mode] of modes.entries()) {
		const first = tally.add(await ask(inMode(mode, placed.messages)));
		if ("error" in first) {
			const next = modes[at + 1];
			if (next === undefined || !refusesMode(first.error)) return tally.failedCall(outputs, first.error);
			if (mode === known) await lessons.forget(variant.connectionId, variant.model, lessonOf(mode));
			continue;
		}
		const read = readVerdict(outputs, first.answer);
		if (!("problem" in read)) {
			if (mode !== known) await lessons.learn(variant.connectionId, variant.model, lessonOf(mode));
			return tally.done(read.outputs, read.warnings);
		}
		const repair = tally.add(
			await ask(inMode(mode, [...placed.messages, ...repairOf(first.answer, read.problem, outputs)])),
		);
		if ("error" in repair) return tally.failedCall(outputs, repair.error);
		const mended = readVerdict(outputs, repair.answer);
		if ("problem" in mended) {
			const message = `the judge gave no verdict that can be used: ${mended.problem}`;
			return tally.failed(outputs, { code: "bad_output", message, isPassing: false });
		}
		if (mode !== known) await lessons.learn(variant.connectionId, variant.model, lessonOf(mode));
		return tally.done(mended.outputs, [...mended.warnings, `the first answer could not be used: ${read.problem}`]);
	}
	throw new Error("there are modes");
}

function requestOf(
	{ model, invocationParameters }: ResolvedVariant,
	outputs: readonly EvaluatorOutput[],
	mode: VerdictMode,
	messages: readonly ModelMessage[],
): ModelRequest {
	const base: ModelRequest = {
		model,
		messages,
		...(invocationParameters === undefined ? {} : { invocation_parameters: invocationParameters }),
	};
	const schema = verdictSchema(outputs);
	switch (mode) {
		case "json_schema":
			return {
				...base,
				response_format: { type: "json_schema", json_schema: { name: "verdict", schema, strict: true } },
			};
		case "tool":
			return {
				...base,
				tools: {
					type: "tools",
					tools: [
						{
							type: "function",
							function: { name: TOOL, description: "Takes your verdict.", parameters: schema },
						},
					],
					tool_choice: { type: "specific_function", function_name: TOOL },
				},
			};
		case "text":
			return base;
	}
}

/** What a model says that does not know schemas, or tools. */
function refusesMode({ code, parameter }: ModelError): boolean {
	if (code !== "bad_request" && code !== "unsupported_parameter") return false;
	return parameter === undefined || /format|tool|schema|json|function/i.test(parameter);
}

function repairOf(answer: ModelAnswer, problem: string, outputs: readonly EvaluatorOutput[]): readonly ModelMessage[] {
	const given = answer.text === "" ? (answer.tool_calls[0]?.arguments ?? "") : answer.text;
	const shown = given.length > SHOWN_ANSWER ? `${given.slice(0, SHOWN_ANSWER).toWellFormed()} …` : given;
	return [
		{ role: "assistant", content: shown === "" ? "(nothing)" : shown },
		{ role: "user", content: `That cannot be used: ${problem}. ${verdictWords(outputs)}` },
	];
}

/** What the calls of one judgement come to. */
class Tally {
	#model: string;
	#costUsd: number | null = null;
	#rendered: readonly ModelMessage[] | undefined;
	#isTruncated = false;
	readonly #warnings: string[] = [];

	constructor(model: string) {
		this.#model = model;
	}

	begin(placed: {
		readonly messages: readonly ModelMessage[];
		readonly isTruncated: boolean;
		readonly warnings: readonly string[];
	}): void {
		this.#rendered = placed.messages;
		this.#isTruncated = placed.isTruncated;
		this.#warnings.push(...placed.warnings);
		if (placed.isTruncated) this.#warnings.push("the inputs were too long and were cut in their middle");
	}

	add<Outcome extends CallResult | CallFailure>(outcome: Outcome): Outcome {
		if (outcome.costUsd !== undefined) this.#costUsd = (this.#costUsd ?? 0) + outcome.costUsd;
		if ("answer" in outcome) {
			// A provider may leave out which model answered.
			this.#model = outcome.answer.model || this.#model;
			for (const warning of outcome.warnings) if (!this.#warnings.includes(warning)) this.#warnings.push(warning);
		}
		return outcome;
	}

	done(outputs: Readonly<Record<string, OutputResult>>, warnings: readonly string[]): Judged {
		this.#warnings.push(...warnings);
		return this.#result(outputs);
	}

	failed(outputs: readonly EvaluatorOutput[], failure: NonNullable<Evaluation["failure"]>): Judged {
		return { ...this.#result(failedOutputs(outputs, failure)), failure };
	}

	failedCall(outputs: readonly EvaluatorOutput[], error: ModelError): Judged {
		const { code, message, isPassing, retryAfterMs, scope } = error;
		return this.failed(outputs, {
			...{ code, message, isPassing },
			...(retryAfterMs === undefined ? {} : { retryAfterMs }),
			...(scope === undefined ? {} : { scope }),
		});
	}

	#result(outputs: Readonly<Record<string, OutputResult>>): Judged {
		return {
			outputs,
			costUsd: this.#costUsd,
			model: this.#model,
			warnings: this.#warnings,
			isTruncated: this.#isTruncated,
			...(this.#rendered === undefined ? {} : { rendered: this.#rendered }),
		};
	}
}
