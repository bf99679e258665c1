import { type Condition, type FilterTarget, RESOURCE, type Value } from "@spanward/filter-language";
import { mayBeDerived } from "../content/attribute-values.ts";
import { annotationsIn } from "./compile.ts";

/** A necessary condition on rows that an index can answer. */
export type Need =
	/**
	 * All these words occur in the text of one span, which the row is or contains, in any case; `sent` are those that
	 * occur as they are written there.
	 */
	| { readonly type: "words"; readonly words: readonly string[]; readonly sent?: readonly string[] }
	| { readonly type: "annotation"; readonly target: FilterTarget; readonly name: string }
	/** The row is a span that failed by itself, with one of these values. */
	| { readonly type: "failure"; readonly by: FailureField; readonly values: readonly string[] }
	| { readonly type: "ids"; readonly of: FilterTarget; readonly ids: readonly string[]; readonly inSpans: boolean };

type FailureField = "group" | "kind" | "tool";

/** Groups of words that have to occur in the same span: all words for a span, each word alone for a trace. */
export function wordsOfOneSpan(needs: readonly Need[], target: FilterTarget): string[][] {
	const groups = needs.flatMap((need) => (need.type === "words" ? [[...need.words]] : []));
	return target === "span" && groups.length > 0 ? [[...new Set(groups.flat())]] : groups;
}

/** Necessary conditions on every row of the target that the condition selects. */
export function needsOf(condition: Condition, target: FilterTarget): Need[] {
	switch (condition.type) {
		case "and":
			return condition.conditions.flatMap((part) => needsOf(part, target));
		case "any": {
			const { rows } = condition;
			const inner = [condition.condition, ...(rows.condition === undefined ? [] : [rows.condition])];
			// Siblings and traces have content outside of the row's own blocks.
			if (rows.kind === "span" && target !== "span")
				return inner.flatMap((part) => needsOf(part, target)).filter((need) => need.type !== "ids");
			return rows.kind === "annotation"
				? inner.flatMap((part) => annotationNamed(part, rows.row, rows.collection, target))
				: [];
		}
		case "has_tag": {
			const within: Value = { type: "attribute", row: condition.row, path: ["tag", "tags"], as: "any" };
			const words = wordsOf(condition.tag, within).words.map(lowerCase);
			return words.length === 0 ? [] : [{ type: "words", words }];
		}
		case "has_annotation":
			return [{ type: "annotation", target: condition.annotation.target, name: condition.annotation.name }];
		case "compare":
			return [
				...annotationNeeds(condition.left),
				...annotationNeeds(condition.right),
				...equalityNeeds(condition, target),
			];
		case "in":
			return [
				...annotationNeeds(condition.value),
				...idNeeds(condition.value, condition.list, target),
				...failureNeeds(condition.value, condition.list, target),
			];
		case "contains": {
			const { text, within } = condition;
			const isText = within.type === "attribute" || (within.type === "field" && SEARCHED_FIELDS.has(within.name));
			const words = isText && text.type === "literal" ? wordsOf(String(text.value), within).words.map(lowerCase) : [];
			return [
				...annotationNeeds(text),
				...annotationNeeds(within),
				...(words.length === 0 ? [] : [{ type: "words" as const, words }]),
			];
		}
		default:
			return [];
	}
}

const SEARCHED_FIELDS: ReadonlySet<string> = new Set(
	"input output first_input last_output any_input any_output".split(" "),
);

function annotationNeeds(value: Value): Need[] {
	return annotationsIn(value).map(({ target, name }) => ({ type: "annotation", target, name }));
}

/** Recognizes `a.name == "quality"` on the rows of a collection of annotations. */
function annotationNamed(condition: Condition, row: number, collection: string, target: FilterTarget): Need[] {
	if (condition.type === "and")
		return condition.conditions.flatMap((part) => annotationNamed(part, row, collection, target));
	if (condition.type !== "compare" || condition.operator !== "==") return [];
	const { left, right } = condition;
	const isName = left.type === "field" && left.row === row && left.name === "name";
	if (!isName || right.type !== "literal") return [];
	const targets: Readonly<Record<string, FilterTarget>> = {
		annotations: "span",
		span_annotations: "span",
		trace_annotations: "trace",
		session_annotations: "session",
	};
	return [{ type: "annotation", target: targets[collection] ?? target, name: String(right.value) }];
}

function equalityNeeds(condition: Condition & { type: "compare" }, target: FilterTarget): Need[] {
	if (condition.operator !== "==") return [];
	const [value, literal] =
		condition.left.type === "literal" ? [condition.right, condition.left] : [condition.left, condition.right];
	if (literal.type !== "literal") return [];
	if (value.type === "attribute" && typeof literal.value === "string") {
		const { words, isSent } = wordsOf(literal.value, value);
		return words.length === 0
			? []
			: [{ type: "words", words: words.map(lowerCase), ...(isSent ? { sent: words } : {}) }];
	}
	return [...idNeeds(value, [literal], target), ...failureNeeds(value, [literal], target)];
}

function failureNeeds(value: Value, literals: readonly Value[], target: FilterTarget): Need[] {
	if (value.type !== "field" || value.row !== 0 || value.ofParent || target !== "span") return [];
	const by = FAILURE_FIELDS[value.name];
	if (by === undefined) return [];
	const values = literals.flatMap((literal) => (literal.type === "literal" ? [String(literal.value)] : []));
	return [{ type: "failure", by, values }];
}

const FAILURE_FIELDS: Readonly<Record<string, FailureField>> = {
	error_group: "group",
	error_kind: "kind",
	error_tool: "tool",
};

function idNeeds(value: Value, literals: readonly Value[], target: FilterTarget): Need[] {
	if (value.type !== "field" || value.row !== 0) return [];
	const of = ID_FIELDS[value.name];
	if (of === undefined || of === "session" || (target !== of && target !== "span")) return [];
	const ids = literals.flatMap((literal) => (literal.type === "literal" ? [String(literal.value)] : []));
	return [{ type: "ids", of, ids, inSpans: target === "span" }];
}

const ID_FIELDS: Readonly<Record<string, FilterTarget>> = { span_id: "span", trace_id: "trace" };

function lowerCase(text: string): string {
	return text.toLowerCase();
}

/** Attributes whose values may be renamed from another convention, so that the words occur in no sent text. */
const RENAMED = /^openinference\.|^llm\.(provider|system|finish_reason)|(^|[._])(role|type|kind)$/;
/** Words that result from turning numbers, booleans and the structure of messages into text. */
const STRUCTURE =
	"true false null nan infinity role content contents parts type text tool_calls tool_call function arguments name user assistant system message messages input output finish_reason image_url result response index args kwargs value query documents document score metadata id_".split(
		" ",
	);

/** Texts that are shown as they were sent, even if under another key. */
const KEPT = /^(session\.id|user\.id|agent\.name|tool\.name|(llm|embedding)\.model_name|metadata\..*)$/;

/**
 * Parts of a literal that occur in a text of every span whose attribute contains it, in any case; `isSent` where they occur
 * as they are written in one that equals it. Other characters may be escaped where the attribute is JSON, and digits alone
 * may come from a number.
 */
function wordsOf(literal: string, within: Value): { readonly words: readonly string[]; readonly isSent: boolean } {
	const path = within.type === "attribute" ? within.path : [];
	// Resources are not searched for texts.
	if (path[0] === RESOURCE) return { words: [], isSent: false };
	const isDerived = within.type !== "attribute" || mayBeDerived(path);
	if (isDerived && RENAMED.test(path.join("."))) return { words: [], isSent: false };
	const isKept = !isDerived || KEPT.test(path.join("."));
	if (isKept && within.type === "attribute" && within.as === "text") {
		const parts = literal.match(/[A-Za-z0-9_.:@ -]{3,}/g) ?? [];
		return { words: parts.filter((part) => !isDerived || /[a-z]/i.test(part)), isSent: true };
	}
	const runs = literal.match(/[A-Za-z0-9]{3,}/g) ?? [];
	const isText = (run: string) =>
		/[a-z]/.test(run) && !/^\d*e\d*$/.test(run) && !STRUCTURE.some((word) => word.includes(run));
	return { words: runs.filter((run) => isText(run.toLowerCase())), isSent: false };
}
