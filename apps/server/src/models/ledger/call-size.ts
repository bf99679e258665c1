import type { ModelRequest } from "../model-request.ts";

/** What the cost of a call depends on, before it is made. */
export interface CallSize {
	/** Of everything in UTF-8 but images. */
	readonly inputBytes: number;
	readonly images: number;
	/** Tokens of the answer; undefined where the request sets no limit. */
	readonly outputLimit: number | undefined;
}

export function sizeOf(request: ModelRequest): CallSize {
	let images = 0;
	const { model: _, ...sent } = request;
	const text = JSON.stringify(sent, (_key, value: unknown) => {
		if (!isImage(value)) return value;
		images += 1;
		return undefined;
	});
	return { inputBytes: Buffer.byteLength(text), images, outputLimit: outputLimitOf(request.invocation_parameters) };
}

/** The most tokens that a call of this size may take; an image counts as 3,000, and a token has at least two bytes. */
export function highestTokens({ inputBytes, images }: CallSize, outputLimit: number) {
	return { input: Math.ceil(inputBytes / 2) + images * 3_000, output: outputLimit };
}

function outputLimitOf(parameters: ModelRequest["invocation_parameters"]): number | undefined {
	switch (parameters?.type) {
		case undefined:
			return undefined;
		case "openai": {
			const { max_tokens: tokens, max_completion_tokens: completion } = parameters.openai;
			return tokens === undefined || completion === undefined ? (tokens ?? completion) : Math.max(tokens, completion);
		}
		case "anthropic":
			return parameters.anthropic.max_tokens;
		case "google":
			return parameters.google.max_output_tokens;
		case "aws":
			return parameters.aws.max_tokens;
	}
}

function isImage(value: unknown): boolean {
	return typeof value === "object" && value !== null && "type" in value && value.type === "image" && "data" in value;
}
