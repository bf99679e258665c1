import {
	ANNOTATION_FIELDS,
	type FieldSchema,
	type FilterTarget,
	ROW_SCHEMAS,
	type RowKind,
} from "@spanward/filter-language";
import { quoted } from "./conditions.ts";
import { filteringTexts } from "./filtering-en.ts";
import { attributeType, attributeValues, fieldValues, type KnownValues, keysOf } from "./known-values.ts";

export interface Option {
	readonly label: string;
	/** Replaces the text that was begun. */
	readonly text: string;
	/** Offset of the caret in `text` afterwards; its end when absent. */
	readonly caret?: number;
	readonly type: string;
	readonly description: string;
}

export interface Completions {
	/** The range of characters that an option replaces. */
	readonly from: number;
	readonly to: number;
	readonly options: readonly Option[];
	/** Whether the options are shown without a key press. */
	readonly isOffered: boolean;
}

const MOST = 60;
/** Characters after which fields of spans are offered in other lists. */
const SHORTEST_OF_SPANS = 2;
const NONE: Completions = { from: 0, to: 0, options: [], isOffered: false };
const TEXTS = filteringTexts.completions;
const { types: TYPES, operators: OPERATORS } = TEXTS;

const TOKEN =
	/(?<text>'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")|(?<open>['"].*$)|(?<name>[A-Za-z_]\w*(?:\.\w*)*)|(?<number>\d[\w.]*)|(?<symbol>[=!<>]=?|\S)/gs;
const KEYWORDS = new Set(["and", "or", "not", "in", "is", "if", "for", "None", "True", "False"]);
const FUNCTIONS = new Set(["any", "all", "sum", "max", "min", "len", "float", "int", "str"]);
const COMPARISON = /^(?:[=!<>]=?|in|is)$/;
const AFTER_WHICH_A_VALUE = /^(?:[=!<>]=?|[-+*/%(,[]|and|or|not|in|if)$/;

/** Attributes that most spans have. */
const ATTRIBUTES = ["input.value", "output.value", "llm.model_name", "session.id", "user.id", "tool.name"] as const;

interface Token {
	readonly kind: "text" | "open" | "name" | "number" | "symbol";
	readonly text: string;
	readonly end: number;
}

/** The options for what may be written at the caret. */
export function completionsAt(target: FilterTarget, text: string, caret: number, known: KnownValues): Completions {
	const tokens = tokensOf(text.slice(0, caret));
	const last = tokens.at(-1);
	const isBegun = last !== undefined && last.end === caret && (last.kind === "name" || last.kind === "open");
	const before = isBegun ? tokens.slice(0, -1) : tokens;
	const begun = isBegun ? last.text : "";
	const from = caret - begun.length;
	const scope: Scope = { target, text, known };
	if (last?.kind === "open") {
		const inside = begun.slice(1);
		const options = literals(scope, before, begun.charAt(0)).filter(({ label }) => has(label, inside));
		const closes = text.charAt(caret) === begun.charAt(0) ? 1 : 0;
		return {
			from,
			to: caret + closes,
			options: options.toSorted((a, b) => rank(a, inside) - rank(b, inside)).slice(0, MOST),
			isOffered: true,
		};
	}
	const annotationPart = annotationFields(before, begun);
	if (annotationPart) return { from: caret - annotationPart.begun.length, to: caret, ...annotationPart };
	if (before.some((token, at) => !isAfterDot(before, at) && isWord(scope, token, before[at + 1]))) return NONE;
	const previous = before.at(-1);
	if (previous === undefined || AFTER_WHICH_A_VALUE.test(previous.text)) {
		const values = literals(scope, before, "'");
		const options = [...values, ...operands(scope, begun)].filter((option) => fits(option.label, begun));
		const isDone = options.length === 1 && options[0]?.text === begun;
		return {
			from,
			to: caret,
			options: isDone ? [] : options.toSorted((a, b) => rank(a, begun) - rank(b, begun)).slice(0, MOST),
			isOffered: begun !== "" || values.length > 0,
		};
	}
	const options = following(scope, before).filter((option) => option.label.startsWith(begun));
	const field = fieldOf(scope, previous);
	return { from, to: caret, options, isOffered: begun !== "" || (field !== undefined && caret > previous.end) };
}

interface Scope {
	readonly target: FilterTarget;
	readonly text: string;
	readonly known: KnownValues;
}

function tokensOf(text: string): Token[] {
	return Array.from(text.matchAll(TOKEN), ({ 0: found, groups, index }) => {
		const [kind = "symbol"] = Object.keys(groups ?? {}).filter((name) => groups?.[name] !== undefined);
		return { kind: kind as Token["kind"], text: found, end: index + found.length };
	});
}

/** Whether a token shows that the text is words, not an expression: a word before another word, and not a field. */
function isWord(scope: Scope, token: Token, next: Token | undefined): boolean {
	if (token.kind !== "name" || KEYWORDS.has(token.text) || FUNCTIONS.has(token.text)) return false;
	if (token.text.includes(".") || next?.text === "[" || fieldOf(scope, token)) return false;
	return !isVariable(scope, token.text) && !isCollection(scope, token.text);
}

function isCollection({ target }: Scope, name: string): boolean {
	return Object.hasOwn(ROW_SCHEMAS[target].collections, name);
}

function isVariable({ text }: Scope, name: string): boolean {
	return new RegExp(`\\bfor\\s+${name}\\b`).test(text);
}

/** The kind of rows that a variable stands for; spans while its collection is not written yet. */
function rowsOf(scope: Scope, variable: string): RowKind | undefined {
	const [, collection] = new RegExp(`\\bfor\\s+${variable}\\s+in\\s+([\\w.]+)`).exec(scope.text) ?? [];
	const name = collection?.split(".").at(-1) ?? "";
	for (const kind of [scope.target, "span", "trace"] as const) {
		const rows = Object.entries(ROW_SCHEMAS[kind].collections).find(([each]) => each === name)?.[1];
		if (rows) return rows;
	}
	return collection === undefined && variable.length === 1 ? "span" : undefined;
}

function fieldOf(scope: Scope, token: Token | undefined): FieldSchema | undefined {
	if (token?.kind !== "name") return undefined;
	const { fields, aliases } = ROW_SCHEMAS[scope.target];
	const name = Object.hasOwn(aliases, token.text) ? (aliases[token.text] ?? "") : token.text;
	if (Object.hasOwn(fields, name)) return fields[name];
	const [variable = "", ...rest] = token.text.split(".");
	const rows = rest.length > 0 ? rowsOf(scope, variable) : undefined;
	const field = rest.join(".");
	if (rows && Object.hasOwn(ROW_SCHEMAS[rows].fields, field)) return ROW_SCHEMAS[rows].fields[field];
	if (scope.target !== "span" || rest.length === 0) return undefined;
	return { valueType: attributeType(scope.known, token.text) ?? "text", description: TEXTS.attribute };
}

/** Options for a string: names of annotations, keys of attributes, values of a field or an attribute. */
function literals(scope: Scope, before: readonly Token[], quote: string): Option[] {
	const previous = before.at(-1);
	const opener = before.at(-2);
	const isKeyed = opener?.kind === "name" && !KEYWORDS.has(opener.text);
	if (previous?.text === "[" && isKeyed) return names(scope, opener, quote);
	const at = before.findLastIndex((token) => token.kind === "name" && !KEYWORDS.has(token.text));
	const between = before.slice(at + 1).map((token) => token.text);
	const [, key, comparison = ""] = /^(?:\[ (.+?) \] )?(.*)$/s.exec(between.join(" ")) ?? [];
	if (!/^(?:==|!=|(?:not )?in \[(?: .+ ,)*)$/s.test(comparison)) return [];
	return valuesOf(scope, before, at, key).map((value) => ({
		label: value,
		text: written(value, quote),
		type: TYPES.value,
		description: "",
	}));
}

const WITH_KEYS = new Set(["metadata", "attributes", "resource"]);

/** What may be written in the brackets after a name. */
function names({ known }: Scope, opener: Token, quote: string): Option[] {
	const isAnnotation = annotationCollections().has(opener.text);
	if (!isAnnotation && !WITH_KEYS.has(opener.text)) return [];
	const found = isAnnotation ? known.annotations.map(({ name }) => name) : keysOf(known, opener.text as "metadata");
	return found.map((name) => ({
		label: name,
		text: `${written(name, quote)}]`,
		type: isAnnotation ? TYPES.annotation : TYPES.attribute,
		description: isAnnotation ? TEXTS.annotationName : TEXTS.attribute,
	}));
}

/** Values that what is compared may have: a name, one with a key in brackets, or a part of an annotation. */
function valuesOf(scope: Scope, before: readonly Token[], at: number, key: string | undefined): readonly string[] {
	const { known, target } = scope;
	const token = before[at];
	if (token === undefined) return [];
	if (key !== undefined) {
		const name = unquoted(key);
		if (token.text === "metadata") return attributeValues(known, `metadata.${name}`);
		return token.text === "attributes" ? attributeValues(known, name) : [];
	}
	if (token.text === "label" && isAfterDot(before, at)) {
		const name = unquoted(before[at - 3]?.text ?? "");
		return known.annotations.find((each) => each.name === name)?.labels ?? [];
	}
	const field = fieldOf(scope, token);
	if (field?.values) return field.values;
	const [variable = "", ...rest] = token.text.split(".");
	const rows = rest.length > 0 ? rowsOf(scope, variable) : undefined;
	const aliased = ROW_SCHEMAS[rows ?? target].aliases[rows ? rest.join(".") : token.text];
	const written = rows ? rest.join(".") : token.text;
	const values = fieldValues(known, rows ?? target, aliased ?? written);
	return values.length > 0 ? values : attributeValues(known, written);
}

function unquoted(literal: string): string {
	return literal.slice(1, -1).replace(/\\(.)/gs, "$1");
}

function written(text: string, quote: string): string {
	return quote === '"' ? JSON.stringify(text) : quoted(text);
}

function annotationCollections(): Set<string> {
	return new Set(Object.values(ROW_SCHEMAS).flatMap(({ annotations }) => annotations?.names ?? []));
}

/** Whether the token is a part of an annotation, as `label` in `annotations['quality'].label`. */
function isAfterDot(tokens: readonly Token[], at: number): boolean {
	const opener = tokens[at - 5];
	return tokens[at - 1]?.text === "." && opener !== undefined && annotationCollections().has(opener.text);
}

/** After `annotations['quality'].` */
function annotationFields(before: readonly Token[], begun: string) {
	const dotted = before.at(-1)?.text === "." ? before.slice(0, -1) : undefined;
	const [opener, , , closer] = dotted?.slice(-4) ?? [];
	if (closer?.text !== "]" || !opener || !annotationCollections().has(opener.text)) return undefined;
	const options = Object.entries(ANNOTATION_FIELDS)
		.filter(([name]) => name.startsWith(begun) && name !== begun)
		.map(([name, type]) => ({
			label: name,
			text: name,
			type: TYPES[type],
			description: ROW_SCHEMAS.annotation.fields[name]?.description ?? "",
		}));
	return { begun, options, isOffered: true };
}

/** Fields, annotations and collections of the list's rows or of a variable's. */
function operands(scope: Scope, begun: string): Option[] {
	const [variable, ...rest] = begun.split(".");
	const rows = variable && rest.length > 0 ? rowsOf(scope, variable) : undefined;
	if (rows && variable) return fieldOptions(rows, `${variable}.`);
	const schema = ROW_SCHEMAS[scope.target];
	const annotations = (schema.annotations?.names ?? []).slice(0, 1).map((name) => ({
		label: `${name}['…']`,
		text: `${name}['`,
		type: TYPES.annotation,
		description: TEXTS.annotations,
	}));
	const attributes = scope.target === "span" ? attributeNames(scope.known) : [];
	const collections = Object.entries(schema.collections).map(([name, rows]) => ({
		label: `any(… for x in ${name})`,
		text: `any(x. for x in ${name})`,
		caret: "any(x.".length,
		type: TYPES.collection,
		description: TEXTS.collections[rows],
	}));
	return [
		...fieldOptions(scope.target, ""),
		...attributes.map((name) => ({ label: name, text: name, type: TYPES.attribute, description: TEXTS.attribute })),
		{ label: "metadata['…']", text: "metadata['", type: TYPES.attribute, description: TEXTS.metadata },
		{ label: "attributes['…']", text: "attributes['", type: TYPES.attribute, description: TEXTS.attributes },
		{ label: "resource['…']", text: "resource['", type: TYPES.attribute, description: TEXTS.resource },
		...annotations,
		...collections,
		...(begun.length < SHORTEST_OF_SPANS ? [] : spanFields(scope)),
	];
}

/** Attributes that can be written as they are: those of most spans, and those that the data has. */
function attributeNames(known: KnownValues): readonly string[] {
	const found = keysOf(known, "attributes").filter((key) => /^[A-Za-z_]\w*(?:\.\w+)+$/.test(key));
	return [...new Set([...ATTRIBUTES, ...found])];
}

/** Fields of spans for lists of other rows, as a question about any of their spans. */
function spanFields({ target }: Scope): Option[] {
	const { fields, aliases, collections } = ROW_SCHEMAS[target];
	if (!Object.hasOwn(collections, "spans")) return [];
	return Object.entries(ROW_SCHEMAS.span.fields)
		.filter(([name]) => !Object.hasOwn(fields, name) && !Object.hasOwn(aliases, name))
		.map(([name, { description }]) => ({
			label: `any(x.${name} … for x in spans)`,
			text: `any(x.${name}  for x in spans)`,
			caret: `any(x.${name} `.length,
			type: TYPES.collection,
			description,
		}));
}

function fieldOptions(rows: RowKind, prefix: string): Option[] {
	return Object.entries(ROW_SCHEMAS[rows].fields).map(([name, { valueType, description }]) => ({
		label: prefix + name,
		text: prefix + name,
		type: TYPES[valueType],
		description,
	}));
}

/** Options after a value: comparisons, else `and` or `or`. */
function following(scope: Scope, before: readonly Token[]): Option[] {
	const start = before.findLastIndex(({ text }) => /^(?:and|or|not|if|\()$/.test(text));
	const isCompared = before.slice(start + 1).some(({ text }) => COMPARISON.test(text));
	const last = before.at(-1);
	const part = last && isAfterDot(before, before.length - 1) ? ROW_SCHEMAS.annotation.fields[last.text] : undefined;
	const names = isCompared ? (["and", "or"] as const) : comparisons(part ?? fieldOf(scope, last));
	return names.map((name) => {
		const [label, text, caret] = name === "in [" ? ["in [", "in ['']", 5] : [name, `${name} `, undefined];
		return { label, text, ...(caret ? { caret } : {}), type: TYPES.operator, description: OPERATORS[name] };
	});
}

function comparisons(field: FieldSchema | undefined): readonly (keyof typeof OPERATORS)[] {
	if (field?.onlySearched) return [];
	if (field && field.valueType !== "text") return [">", ">=", "<", "<=", "==", "!=", "is None", "is not None"];
	return ["==", "!=", "in [", "is None", "is not None"];
}

/** Whether the label, or one of its parts, begins with the text. */
function fits(label: string, begun: string): boolean {
	const [whole, part] = [label.toLowerCase(), begun.toLowerCase()];
	return whole.startsWith(part) || whole.includes(`_${part}`) || whole.includes(`.${part}`);
}

/** Whether the label, or a word in it, begins with the text. */
function has(label: string, begun: string): boolean {
	const [whole, part] = [label.toLowerCase(), begun.toLowerCase()];
	for (let at = whole.indexOf(part); at >= 0; at = whole.indexOf(part, at + 1)) {
		if (at === 0 || /\P{L}/u.test(whole.charAt(at - 1))) return true;
	}
	return false;
}

function rank({ label }: Option, begun: string): number {
	return label.toLowerCase().startsWith(begun.toLowerCase()) ? 0 : 1;
}
