import { MAX_LOG, MAX_RESULT } from "./code-messages.ts";
import { MARK } from "./mark-lines.ts";

/** The name, among names of errors, of what is thrown as null. */
export const THROWN_NULL = "null";

/**
 * Runs inside the sandbox before the code of a user, which could change everything here: what it yields is only a text,
 * which the thread reads as it reads everything that comes out. Its value is an object of functions.
 */
export const GUEST_PRELUDE = `(() => {
	"use strict";
	const { parse, stringify } = JSON;
	const Resolved = Promise;
	const Text = String;
	for (const name of ["performance", "navigator", "gc", "scriptArgs", "print", "Worker", "setTimeout", "os", "std", "bjson"]) delete globalThis[name];

	Object.defineProperty(globalThis, "${MARK}", { value() {} });

	let log = "";
	let isCut = false;
	const shown = (value) => {
		if (typeof value === "string") return value;
		if (typeof value === "object" && value !== null && !(value instanceof Error)) {
			try { return stringify(value) ?? Text(value); } catch { return Text(value); }
		}
		return Text(value);
	};
	const write = (...values) => {
		if (isCut) return;
		log += values.map(shown).join(" ") + "\\n";
		if (log.length <= ${MAX_LOG}) return;
		log = log.slice(0, ${MAX_LOG - 10}) + " … (cut)\\n";
		isCut = true;
	};
	globalThis.console = { log: write, info: write, warn: write, error: write, debug: write };

	const replacer = (_key, value) => {
		if (typeof value === "bigint") return Number(value);
		if (typeof value !== "number") return value;
		return value - value === 0 ? value : { $number: Text(value) };
	};
	const describe = (value) => {
		const type = typeof value;
		if (type === "number") return stringify({ type, value, text: Text(value) });
		if (type === "boolean") return stringify({ type, value });
		if (type === "string") return value.length > ${MAX_RESULT} ? '{"type":"too_large"}' : stringify({ type, value });
		if (type !== "object") return stringify({ type });
		const text = stringify(value, replacer);
		if (text === undefined) return '{"type":"undefined"}';
		return text.length > ${MAX_RESULT} ? '{"type":"too_large"}' : '{"type":"object","value":' + text + "}";
	};
	const part = (value) => (typeof value === "string" ? value.slice(0, 2000) : "");
	const explain = (error) => {
		if (error === null) return stringify({ name: "${THROWN_NULL}", message: "", stack: "" });
		if (typeof error !== "object" || error === null) return stringify({ name: "", message: part(shown(error)), stack: "" });
		return stringify({ name: part(error.name), message: part(error.message), stack: part(error.stack) });
	};

	let outcome = '{"state":"pending"}';
	return {
		begin(evaluate, inputs) {
			Resolved.resolve(evaluate(parse(inputs))).then(
				(value) => {
					outcome = '{"state":"returned","returned":' + describe(value) + "}";
				},
			).catch((error) => {
				outcome = '{"state":"threw","error":' + explain(error) + "}";
			});
		},
		outcome: () => outcome,
		log: () => log,
		explain,
	};
})()`;
