import type { Plain, SentParameters, SentRequest } from "@spanward/semconv";
import { toWirePlain } from "#http/wire-plain.ts";
import { StoredInvocationParameters } from "#models/definition-schemas.ts";
import type { VariantContent } from "#models/variant.ts";
import type { Notes } from "./notes.ts";
import type { Family } from "./providers.ts";

type Parameters = NonNullable<VariantContent["invocation_parameters"]>;
type Members = Readonly<Record<string, unknown>>;

/** Those whose absence is said where a request was not recorded as a whole. */
const USUAL = ["temperature", "top_p", "max_tokens"] as const;

/** Recorded parameters as those of a variant; what is missing or cannot be sent is noted. */
export function replayParameters(
	{ parameters, isWhole }: Pick<SentRequest, "parameters" | "isWhole">,
	family: Family,
	notes: Notes,
): Parameters | null {
	noteAbsent(parameters, isWhole, notes);
	if (parameters === undefined) return null;
	const { unknown, ...known } = parameters;
	if (unknown !== undefined) notes.add(`Recorded, but not known as parameters, and left out: ${unknown.join(", ")}.`);
	// Anthropic's requests always have a limit.
	const own = family === "anthropic" && known.max_tokens === undefined ? "openai" : family;
	const { members, leftOut } = FORMS[own](known);
	if (leftOut.length > 0) notes.add(`Recorded, but not among the parameters of this provider: ${leftOut.join(", ")}.`);
	return parsed(own, members, notes);
}

function noteAbsent(parameters: SentParameters | undefined, isWhole: boolean, notes: Notes): void {
	if (isWhole) return;
	const limit = parameters?.max_tokens ?? parameters?.max_completion_tokens;
	const absent = USUAL.filter((name) => (name === "max_tokens" ? limit : parameters?.[name]) === undefined);
	if (absent.length > 0) notes.add(`Not recorded, so the model's own defaults: ${absent.join(", ")}.`);
}

/** Members that the schema of variants refuses are left out one by one, and noted. */
function parsed(family: Family, members: Members, notes: Notes): Parameters | null {
	let left = Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
	for (;;) {
		if (Object.keys(left).length === 0) return null;
		const result = StoredInvocationParameters.safeParse({ type: family, [family]: left });
		if (result.success) return result.data;
		const refused = new Set(result.error.issues.map(({ path }) => String(path[1])));
		const kept = Object.entries(left).filter(([name]) => !refused.has(name));
		if (kept.length === Object.keys(left).length) return null;
		notes.add(`Recorded with values that cannot be sent, and left out: ${[...refused].join(", ")}.`);
		left = Object.fromEntries(kept);
	}
}

interface Form {
	readonly members: Members;
	/** Names of parameters that the provider does not have. */
	readonly leftOut: readonly string[];
}

type Known = Omit<SentParameters, "unknown">;

const FORMS: Readonly<Record<Family, (known: Known) => Form>> = {
	openai({ thinking, thinking_config, top_k, others, ...same }) {
		const extra = toWirePlain({ ...others, ...(top_k === undefined ? {} : { top_k }) });
		return {
			members: { ...same, extra_body: isEmpty(extra) ? undefined : extra },
			leftOut: namesOf({ thinking, thinking_config }),
		};
	},
	anthropic({
		max_tokens,
		temperature,
		top_p,
		stop,
		thinking,
		reasoning_effort,
		top_k,
		max_completion_tokens: _,
		...rest
	}) {
		return {
			members: {
				...{ max_tokens, temperature, top_p, stop_sequences: stop, thinking: wire(thinking) },
				output_config: reasoning_effort === undefined ? undefined : { effort: reasoning_effort },
				extra_body: top_k === undefined ? undefined : { top_k },
			},
			leftOut: namesOf(rest),
		};
	},
	google({ temperature, top_p, top_k, stop, presence_penalty, frequency_penalty, thinking_config, ...rest }) {
		const { max_tokens, max_completion_tokens, ...others } = rest;
		return {
			members: {
				...{ temperature, top_p, top_k, presence_penalty, frequency_penalty },
				...{ max_output_tokens: max_tokens ?? max_completion_tokens, stop_sequences: stop },
				thinking_config: wire(thinking_config),
			},
			leftOut: namesOf(others),
		};
	},
	aws({ temperature, top_p, stop, max_tokens, max_completion_tokens, ...rest }) {
		return {
			members: { temperature, top_p, stop_sequences: stop, max_tokens: max_tokens ?? max_completion_tokens },
			leftOut: namesOf(rest),
		};
	},
};

function wire(value: Plain | undefined): unknown {
	return value === undefined ? undefined : toWirePlain(value);
}

function namesOf(members: Members): string[] {
	return Object.entries(members).flatMap(([name, value]) => {
		if (value === undefined) return [];
		return name === "others" && typeof value === "object" && value !== null ? Object.keys(value) : [name];
	});
}

function isEmpty(value: unknown): boolean {
	return typeof value === "object" && value !== null && Object.keys(value).length === 0;
}
