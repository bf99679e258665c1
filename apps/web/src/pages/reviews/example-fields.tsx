import { type ReactNode, useState } from "react";
import { dataTexts } from "../../texts/data-en.ts";
import { reviewTexts } from "../../texts/reviews-en.ts";
import { formatJson, parseJson } from "../../ui/content/json-value.ts";
import { Field, TextArea } from "../../ui/input.tsx";
import { JsonField } from "../../ui/json-field.tsx";
import { SegmentedControl } from "../../ui/segmented-control.tsx";
import { type JsonObject, textOf, withText } from "./example-text.ts";

const TEXTS = reviewTexts.goldItem;
const PARTS = ["input", "output", "metadata"] as const;
type Part = (typeof PARTS)[number];
export type Parts = Readonly<Record<Part, JsonObject>>;
/** The parts as JSON texts, as they were written. */
type WrittenParts = Readonly<Record<Part, string>>;
export type PartProblems = Partial<Record<Part, string>>;

const LABELS: Readonly<Record<Part, string>> = {
	input: TEXTS.input,
	output: TEXTS.output,
	metadata: TEXTS.metadata,
};

export function writeParts({ input, output, metadata }: Parts): WrittenParts {
	return { input: formatJson(input), output: formatJson(output), metadata: formatJson(metadata) };
}

/** The parts as objects, or what is wrong with them. */
export function readParts(written: WrittenParts): { readonly parts?: Parts; readonly problems: PartProblems } {
	const problems: PartProblems = {};
	const read: Partial<Record<Part, JsonObject>> = {};
	for (const part of PARTS) {
		const value = readPart(written[part]);
		if (typeof value === "string") problems[part] = value;
		else read[part] = value;
	}
	const { input, output, metadata } = read;
	return input && output && metadata ? { parts: { input, output, metadata }, problems } : { problems };
}

/** @returns what is wrong with it, for a text */
function readPart(written: string): JsonObject | string {
	try {
		const value = parseJson(written.trim() || "{}");
		const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
		return isObject ? (value as JsonObject) : dataTexts.examples.notObject;
	} catch (error) {
		if (!(error instanceof SyntaxError)) throw error;
		return `${dataTexts.examples.notJson} ${error.message}`;
	}
}

/** The parts of an example, as JSON, or as the text that they are about where there is one. */
export function ExampleFields({
	written,
	onWritten,
	problems,
}: {
	written: WrittenParts;
	onWritten: (written: WrittenParts) => void;
	problems: PartProblems;
}): ReactNode {
	const [form, setForm] = useState<"text" | "json">("text");
	return (
		<>
			<SegmentedControl
				label={TEXTS.editAs}
				value={form}
				onChange={setForm}
				choices={[
					{ value: "text", label: TEXTS.asText },
					{ value: "json", label: TEXTS.asJson },
				]}
			/>
			{PARTS.map((part) => {
				const change = (text: string) => onWritten({ ...written, [part]: text });
				const value = readPart(written[part]);
				const text = form === "json" || typeof value === "string" ? undefined : textOf(value);
				if (text === undefined || typeof value === "string")
					return (
						<JsonField
							key={part}
							label={LABELS[part]}
							value={written[part]}
							onChange={change}
							problem={problems[part]}
						/>
					);
				return (
					<Field key={part} label={LABELS[part]} error={problems[part]}>
						<TextArea
							value={text}
							rows={Math.min(12, Math.max(3, text.split("\n").length))}
							onChange={(event) => change(formatJson(withText(value, event.target.value)))}
							className="resize-y"
						/>
					</Field>
				);
			})}
		</>
	);
}
