import { evaluatorTexts } from "../texts/evaluators-en.ts";

type Members = Readonly<Record<string, unknown>>;

/** The object that a text is as JSON, or why it is none. */
export function parseObject(text: string): { readonly value: Members } | { readonly problem: string } {
	const { badJson, notAnObject } = evaluatorTexts.form;
	let value: unknown;
	try {
		value = JSON.parse(text);
	} catch (error) {
		return { problem: badJson(error instanceof Error ? error.message : String(error)) };
	}
	if (typeof value !== "object" || value === null || Array.isArray(value)) return { problem: notAnObject };
	return { value: value as Members };
}
