import { evaluatorTexts } from "../../texts/evaluators-en.ts";

/** The parameters of a built-in evaluator as fields of a form, by their JSON Schema. */

const TEXTS = evaluatorTexts.form;

export type ParameterKind = "choice" | "boolean" | "number" | "text" | "lines" | "json";

export interface ParameterField {
	readonly name: string;
	readonly kind: ParameterKind;
	readonly description: string | undefined;
	readonly isRequired: boolean;
	/** Of a choice. */
	readonly choices: readonly string[];
}

type Members = Readonly<Record<string, unknown>>;

function membersOf(value: unknown): Members {
	return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Members) : {};
}

export function parameterFields(schema: Members): readonly ParameterField[] {
	const required = Array.isArray(schema["required"]) ? schema["required"] : [];
	return Object.entries(membersOf(schema["properties"])).map(([name, value]) => {
		const property = membersOf(value);
		const description = property["description"];
		return {
			name,
			kind: kindOf(property),
			description: typeof description === "string" ? description : undefined,
			// What has a default is required of what is read, not of what is sent.
			isRequired: required.includes(name) && !("default" in property),
			choices: Array.isArray(property["enum"]) ? property["enum"].map(String) : [],
		};
	});
}

function kindOf(property: Members): ParameterKind {
	const { type, enum: values, items } = property;
	if (Array.isArray(values)) return values.every((each) => typeof each === "string") ? "choice" : "json";
	if (type === "boolean") return "boolean";
	if (type === "number" || type === "integer") return "number";
	if (type === "string") return "text";
	return type === "array" && membersOf(items)["type"] === "string" ? "lines" : "json";
}

export interface ReadParameters {
	readonly parameters: Members;
	/** By the name of the field. */
	readonly problems: Readonly<Record<string, string>>;
}

/** What is written in the fields, by their names; an empty one is left out. */
export function readParameters(
	fields: readonly ParameterField[],
	written: Readonly<Record<string, string>>,
): ReadParameters {
	const parameters: Record<string, unknown> = {};
	const problems: Record<string, string> = {};
	for (const { name, kind } of fields) {
		const text = written[name] ?? "";
		if (text === "") continue;
		switch (kind) {
			case "choice":
			case "text":
				parameters[name] = text;
				break;
			case "boolean":
				parameters[name] = text === "true";
				break;
			case "number":
				if (Number.isFinite(Number(text))) parameters[name] = Number(text);
				else problems[name] = TEXTS.badNumber;
				break;
			case "lines":
				parameters[name] = text.split("\n").filter((line) => line !== "");
				break;
			case "json":
				try {
					parameters[name] = JSON.parse(text);
				} catch (error) {
					problems[name] = TEXTS.badJson(error instanceof Error ? error.message : String(error));
				}
		}
	}
	return { parameters, problems };
}
