import { ROW_SCHEMAS } from "./schemas.ts";
import { distanceOf } from "./suggestions.ts";

/** Fields of spans for fields of other rows, and for likely other names. */
const SPAN_COUNTERPARTS: Readonly<Record<string, readonly string[]>> = {
	any_input: ["input.value"],
	any_output: ["output.value"],
	cost: ["total_cost"],
	cost_per_token: ["total_cost"],
	duration: ["latency_ms"],
	duration_ms: ["latency_ms"],
	error_count: ["cumulative_error_count"],
	explanation: ["annotations['name'].explanation"],
	first_input: ["input.value"],
	identifier: ["annotations['name'].identifier"],
	input: ["input.value"],
	kind: ["span_kind"],
	label: ["annotations['name'].label"],
	last_output: ["output.value"],
	num_traces_with_error: ["cumulative_error_count"],
	output: ["output.value"],
	score: ["annotations['name'].score"],
	token_count_completion: ["llm_token_count_completion"],
	token_count_prompt: ["llm_token_count_prompt"],
	token_count_total: ["llm_token_count_total"],
	tokens: ["llm_token_count_total"],
};
const { fields, aliases } = ROW_SCHEMAS.span;
/** Attributes whose names are close to those of fields, and that many write. */
const ATTRIBUTES: ReadonlySet<string> = new Set(["session.id", "user.id"]);
const OWN = [...Object.keys(fields), ...Object.keys(aliases)];
const OF_OTHERS = new Set(Object.values(ROW_SCHEMAS).flatMap((schema) => Object.keys(schema.fields)));

/**
 * What a name that is no field of spans may have been meant to be: a field within two edits, one that contains the
 * name, or the counterpart of a field of other rows. Undefined for a name that looks like an attribute; empty for a
 * field of other rows without a counterpart.
 */
export function probablyMeant(written: string): readonly string[] | undefined {
	const name = written.toLowerCase();
	if (ATTRIBUTES.has(name)) return undefined;
	const near = nearFields(name);
	if (near.length > 0) return near;
	const known = Object.hasOwn(SPAN_COUNTERPARTS, name) ? SPAN_COUNTERPARTS[name] : undefined;
	if (known !== undefined) return known;
	const whole = Object.keys(fields).filter((field) => `_${field}_`.includes(`_${name}_`));
	if (whole.length > 0) return whole.slice(0, 3);
	return OF_OTHERS.has(name) ? [] : undefined;
}

/** The fields of spans that a name may mean, including itself; without attributes and annotations. */
export function likelyFields(written: string): readonly string[] {
	const name = written.toLowerCase();
	if (OWN.includes(name)) return [name];
	return (probablyMeant(name) ?? []).filter((field) => OWN.includes(field));
}

function nearFields(name: string): readonly string[] {
	return OWN.filter((field) => {
		const distance = distanceOf(name, field);
		return distance <= 2 && distance < name.length / 2;
	});
}
