import type { DownloadedExample } from "./downloaded-example.ts";

/** One conversation of a fine-tuning file: the input and the expected output. */
export function toFineTuning({ input, output }: DownloadedExample): object {
	const tools = input["tools"];
	return {
		messages: [...messagesOf(input), ...messagesOf(output)],
		...(tools === undefined || tools === null ? {} : { tools }),
	};
}

/** One question of an evals file with its ideal answer. */
export function toEvaluation({ input, output }: DownloadedExample): object {
	const last = messagesOf(output).at(-1);
	const content = typeof last === "object" && last !== null ? Reflect.get(last, "content") : undefined;
	return { messages: messagesOf(input), ideal: typeof content === "string" ? content : "" };
}

function messagesOf(part: Readonly<Record<string, unknown>>): readonly unknown[] {
	const messages = part["messages"];
	return Array.isArray(messages) ? messages : [];
}
