import { chunksOf } from "#base/chunks.ts";
import type { Parameters, ParameterValue } from "./node.ts";

/** `param_…` of a request without that prefix, as in the format TabSeparated. */
export type Field = readonly [name: string, text: string];

export interface BoundStatement {
	readonly statement: string;
	readonly fields: readonly Field[];
	/** Whether it says something else than what was given, so that its parameters are not those that were given. */
	readonly isChanged: boolean;
}

/** Bytes; ClickHouse refuses a field of more than 128 KiB (`http_max_field_value_size`). */
const LONGEST_FIELD = 120_000;
/** ClickHouse takes 1,000 (`http_max_fields`). */
const MOST_FIELDS = 400;
/** Single values in one array, of which each of them is a copy for ClickHouse. */
const TOGETHER = 16;
/** Of one statement, in bytes; who has more asks several. */
export const LONGEST_PARAMETERS = 32 * 1024 * 1024;

const PLACEHOLDER = /\{(\w+):([^{}]+)\}/g;

/**
 * The fields that carry the values of a statement's `{name:Type}`. Those that are too long for one field are put together
 * by the statement from several, and where they are many, those of one type are sent as one array.
 * @throws RangeError when the values are longer than {@link LONGEST_PARAMETERS}
 */
export function bindParameters(statement: string, params: Parameters): BoundStatement {
	const fields = new Map<string, string>();
	const expressions = new Map<string, string>();
	const types = new Map([...statement.matchAll(PLACEHOLDER)].map(([, name = "", type = ""]) => [name, type]));
	const { own, gathered } = gather(params, types);
	let length = 0;
	for (const [name, value] of Object.entries(own)) {
		const type = types.get(name) ?? gathered.get(name)?.type ?? "String";
		const parts = divide(name, type, value);
		for (const [part, text] of parts.fields) {
			fields.set(part, text);
			length += Buffer.byteLength(text);
			if (length > LONGEST_PARAMETERS)
				throw new RangeError(`a statement has more than ${LONGEST_PARAMETERS} bytes of values`);
		}
		const of = gathered.get(name);
		if (of === undefined) expressions.set(name, parts.expression);
		else
			for (const [index, member] of of.members.entries()) expressions.set(member, `${parts.expression}[${index + 1}]`);
	}
	const bound = statement.replaceAll(PLACEHOLDER, (whole, name: string) => expressions.get(name) ?? whole);
	return { statement: bound, fields: [...fields], isChanged: bound !== statement };
}

interface Gathered {
	/** Of the array. */
	readonly type: string;
	/** Names of the values that it has, in its order. */
	readonly members: readonly string[];
}

/** Single values by their type, some together, where there are too many to have a field each. */
function gather(params: Parameters, types: ReadonlyMap<string, string>) {
	const gathered = new Map<string, Gathered>();
	const entries = Object.entries(params);
	if (entries.length <= MOST_FIELDS) return { own: params, gathered };
	const own: Record<string, ParameterValue> = {};
	const byType = Map.groupBy(entries, ([name, value]) => (Array.isArray(value) ? undefined : types.get(name)));
	for (const [type, ofType] of byType) {
		if (type === undefined) Object.assign(own, Object.fromEntries(ofType));
		else
			for (const chunk of chunksOf(ofType, TOGETHER)) {
				const name = `all_${gathered.size}`;
				own[name] = chunk.map(([, value]) => value as string | number | bigint);
				gathered.set(name, { type: `Array(${type})`, members: chunk.map(([member]) => member) });
			}
	}
	return { own, gathered };
}

interface Divided {
	readonly fields: readonly Field[];
	/** What stands for the value in the statement. */
	readonly expression: string;
}

function divide(name: string, type: string, value: ParameterValue): Divided {
	const text = formatParameter(value);
	if (Buffer.byteLength(text) <= LONGEST_FIELD) return { fields: [[name, text]], expression: `{${name}:${type}}` };
	return Array.isArray(value) ? divideArray(name, type, value) : divideText(name, String(value));
}

function divideText(name: string, text: string): Divided {
	const fields = piecesOf(text).map((piece, index) => [`${name}_${index}`, escapeText(piece)] as const);
	return { fields, expression: `concat(${fields.map(([part]) => `{${part}:String}`).join(", ")})` };
}

function divideArray(name: string, type: string, values: readonly (string | number | bigint)[]): Divided {
	const fields: Field[] = [];
	const parts: string[] = [];
	let group: (string | number | bigint)[] = [];
	let bytes = 0;
	const endGroup = () => {
		if (group.length === 0) return;
		const part = `${name}_${parts.length}`;
		fields.push([part, formatParameter(group)]);
		parts.push(`{${part}:${type}}`);
		group = [];
		bytes = 0;
	};
	for (const value of values) {
		const own = Buffer.byteLength(formatParameter([value]));
		if (bytes + own > LONGEST_FIELD) endGroup();
		if (own <= LONGEST_FIELD) {
			group.push(value);
			bytes += own;
		} else {
			const divided = divideText(`${name}_${parts.length}`, String(value));
			fields.push(...divided.fields);
			parts.push(`[${divided.expression}]`);
		}
	}
	endGroup();
	return { fields, expression: `arrayConcat(${parts.join(", ")})` };
}

/** Pieces of a text that fit into a field whatever has to be escaped. */
function piecesOf(text: string): string[] {
	const pieces: string[] = [];
	// A character takes at most 3 bytes, or 2 when it is escaped.
	const most = Math.floor(LONGEST_FIELD / 3);
	for (let start = 0; start < text.length; ) {
		let end = start + most;
		// Both halves of a surrogate pair belong together.
		if (/[\uD800-\uDBFF]/.test(text.charAt(end - 1))) end += 1;
		pieces.push(text.slice(start, end));
		start = end;
	}
	return pieces;
}

/** As in the format TabSeparated: https://clickhouse.com/docs/interfaces/http#tabs-in-url-parameters */
function formatParameter(value: ParameterValue): string {
	if (typeof value === "string") return escapeText(value);
	if (typeof value === "number" || typeof value === "bigint") return String(value);
	const parts = value.map((part) => (typeof part === "string" ? `'${escapeText(part)}'` : String(part)));
	return `[${parts.join(",")}]`;
}

const ESCAPES: Readonly<Record<string, string>> = {
	"\\": "\\\\",
	"'": "\\'",
	"\t": "\\t",
	"\n": "\\n",
	"\r": "\\r",
	"\0": "\\0",
};

function escapeText(text: string): string {
	return text.toWellFormed().replaceAll(/[\\'\t\n\r\0]/g, (character) => ESCAPES[character] ?? character);
}
