import { decodeImage, imageTypeOf, MAX_IMAGE_BYTES } from "#models/image-bytes.ts";
import type { ImagePart, MessagePart, ModelMessage, ModelRequest } from "#models/model-request.ts";
import { ChatError } from "./chat-error.ts";
import type { GivenChat, GivenMessage } from "./schemas.ts";

/** Of all images of a request together. */
const MAX_IMAGES_BYTES = 20 * 1_024 * 1_024;
const DATA_URL = /^data:([a-z/+.-]+);base64,/;

/** @throws ChatError for what cannot be passed on */
export function toModelRequest(body: GivenChat, model: string): ModelRequest {
	if (body.n !== undefined && body.n !== null && body.n !== 1)
		throw new ChatError(400, "unsupported_parameter", "`n` has to be 1: send the request several times instead.");
	const messages = body.messages.map(toMessage);
	const images = messages.flatMap(({ content }) => (typeof content === "string" ? [] : content.filter(isImage)));
	if (images.reduce((sum, { data }) => sum + (data.length / 4) * 3, 0) > MAX_IMAGES_BYTES)
		throw new ChatError(400, "bad_request", "The images of a request may have 20 MiB together.");
	const tools = toTools(body);
	const format = body.response_format;
	return {
		model,
		messages,
		invocation_parameters: { type: "openai", openai: toParameters(body) },
		...(tools === undefined ? {} : { tools }),
		...(format?.type === "json_schema"
			? { response_format: { type: "json_schema", json_schema: withoutNulls(format.json_schema) } }
			: {}),
	};
}

function toParameters(body: GivenChat) {
	const { temperature, top_p, max_tokens, max_completion_tokens, seed, reasoning_effort, stop } = body;
	const { frequency_penalty, presence_penalty } = body;
	return withoutNulls({
		...{ temperature, top_p, max_tokens, max_completion_tokens, seed, reasoning_effort },
		...{ frequency_penalty, presence_penalty, stop: typeof stop === "string" ? [stop] : stop },
	});
}

type WithoutNulls<T> = { [Name in keyof T]?: NonNullable<T[Name]> } & {
	[Name in keyof T as null extends T[Name] ? never : undefined extends T[Name] ? never : Name]: T[Name];
};

/** Clients send null for what they do not set. */
function withoutNulls<T extends object>(members: T): WithoutNulls<T> {
	const set = Object.entries(members).filter(([, value]) => value !== null && value !== undefined);
	return Object.fromEntries(set) as WithoutNulls<T>;
}

function toTools({ tools, tool_choice: choice, parallel_tool_calls: parallel }: GivenChat): ModelRequest["tools"] {
	if (tools === undefined || tools === null || tools.length === 0) return undefined;
	return {
		type: "tools",
		tools: tools.map(({ function: definition }) => ({ type: "function", function: withoutNulls(definition) })),
		...(choice === undefined || choice === null ? {} : { tool_choice: toToolChoice(choice) }),
		...(parallel === false ? { disable_parallel_tool_calls: true } : {}),
	};
}

function toToolChoice(
	choice: NonNullable<GivenChat["tool_choice"]>,
): NonNullable<NonNullable<ModelRequest["tools"]>["tool_choice"]> {
	if (typeof choice === "object") return { type: "specific_function", function_name: choice.function.name };
	const types = { none: "none", auto: "zero_or_more", required: "one_or_more" } as const;
	return { type: types[choice] };
}

function toMessage(message: GivenMessage, index: number): ModelMessage {
	switch (message.role) {
		case "tool": {
			const tool_result = textOf(message.content);
			return { role: "tool", content: [{ type: "tool_result", tool_call_id: message.tool_call_id, tool_result }] };
		}
		case "assistant": {
			const calls = (message.tool_calls ?? []).map(({ id, function: called }) => ({
				type: "tool_call" as const,
				tool_call_id: id,
				tool_call: { type: "function" as const, ...called },
			}));
			const said = textOf(message.content ?? "");
			if (calls.length === 0) return { role: "assistant", content: said };
			return {
				role: "assistant",
				content: [...(said === "" ? [] : [{ type: "text" as const, text: said }]), ...calls],
			};
		}
		case "user": {
			const { content } = message;
			if (typeof content === "string") return { role: "user", content };
			return {
				role: "user",
				content: content.map((part) =>
					part.type === "text" ? { type: "text", text: part.text } : toImage(part.image_url.url, index),
				),
			};
		}
		default:
			return { role: message.role, content: textOf(message.content) };
	}
}

function textOf(content: string | readonly { readonly text: string }[]): string {
	return typeof content === "string" ? content : content.map(({ text }) => text).join("");
}

function toImage(url: string, index: number): ImagePart {
	const where = `messages.${index}: the image`;
	const start = DATA_URL.exec(url)?.[0];
	if (start === undefined)
		throw new ChatError(400, "bad_request", `${where} has to be a data URL in base64; addresses are not fetched.`);
	const data = url.slice(start.length);
	if ((data.length / 4) * 3 > MAX_IMAGE_BYTES + 3)
		throw new ChatError(400, "bad_request", `${where} has more than 5 MiB.`);
	const bytes = decodeImage(data);
	const media_type = bytes === undefined ? undefined : imageTypeOf(bytes);
	if (media_type === undefined)
		throw new ChatError(400, "bad_request", `${where} has to be a PNG, JPEG, WebP or GIF in base64.`);
	return { type: "image", media_type, data };
}

function isImage(part: MessagePart): part is ImagePart {
	return part.type === "image";
}
