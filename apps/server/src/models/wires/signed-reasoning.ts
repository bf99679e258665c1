import type { SharedV4ProviderMetadata, SharedV4ProviderOptions } from "@ai-sdk/provider";
import type { ReasoningPart } from "../model-request.ts";
import type { Wire } from "./wire.ts";

/** Whose thoughts a wire takes back; undefined where it takes none. */
export function reasoningProviderOf(wire: Wire): ReasoningPart["provider"] | undefined {
	switch (wire) {
		case "messages":
			return "anthropic";
		case "gemini":
			return "google";
		case "converse":
			return "aws_bedrock";
		default:
			return undefined;
	}
}

interface Block {
	text: string;
	signature?: string;
	redacted?: string;
	readonly toolCallId?: string;
}

/** Collects the thoughts of an answer that can be sent back. */
export class SignedReasoning {
	readonly #blocks = new Map<string, Block>();

	/** A piece of a block: of what was thought, or another whose signature counts for thoughts. */
	add(id: string, text: string, metadata: SharedV4ProviderMetadata | undefined, toolCallId?: string): void {
		const block = this.#blocks.get(id) ?? { text: "", ...(toolCallId === undefined ? {} : { toolCallId }) };
		this.#blocks.set(id, block);
		block.text += text;
		// The libraries tell the same under several names.
		for (const told of Object.values(metadata ?? {})) {
			const { signature = told["thoughtSignature"], redactedContent: redacted = told["redactedData"] } = told;
			if (typeof signature === "string" && signature !== "") block.signature = signature;
			if (typeof redacted === "string" && redacted !== "") block.redacted = redacted;
		}
	}

	/** Undefined where there is none. */
	partsFor(wire: Wire): readonly ReasoningPart[] | undefined {
		const provider = reasoningProviderOf(wire);
		if (provider === undefined) return;
		const parts = [...this.#blocks.values()].flatMap(({ text, signature, redacted, toolCallId }) => {
			if (signature === undefined && redacted === undefined) return [];
			return {
				...({ type: "reasoning", text, provider } as const),
				...(signature === undefined ? {} : { signature }),
				...(redacted === undefined ? {} : { redacted }),
				...(toolCallId === undefined ? {} : { tool_call_id: toolCallId }),
			};
		});
		return parts.length === 0 ? undefined : parts;
	}
}

/** As the library of the part's provider takes a signature, or thoughts that only the provider can read. */
export function signatureOptions({ provider, signature, redacted }: ReasoningPart): SharedV4ProviderOptions {
	switch (provider) {
		case "anthropic":
			return { anthropic: signature === undefined ? { redactedData: redacted ?? "" } : { signature } };
		case "aws_bedrock":
			return { bedrock: signature === undefined ? { redactedContent: redacted ?? "" } : { signature } };
		case "google":
			return signature === undefined ? {} : { google: { thoughtSignature: signature } };
	}
}
