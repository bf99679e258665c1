import type { Attributes, Convention, Message, RawValue, Semantic, SpanFacts, SpanInput } from "../model.ts";

/** Input and output of a span. */
export interface Content {
	input?: RawValue;
	output?: RawValue;
	input_messages?: Message[];
	output_messages?: Message[];
	/** The conversation of an agent's run, where it was sent as one. */
	conversation?: Message[];
	/** Texts that were embedded, for spans without other input. */
	embedded_texts?: string[];
}

/** Reads the spans of one convention. The three functions never throw, whatever the attributes hold. */
export interface ConventionReader {
	/** Every attribute key that `readFacts` reads. */
	readonly factKeys: readonly string[];
	readFacts(spanName: string, scopeName: string, attributes: Attributes, convention: Convention): SpanFacts;
	readContent(span: SpanInput, facts: SpanFacts): Content;
	/** Everything else: tools, documents, metadata and so on. */
	readDetails(span: SpanInput, facts: SpanFacts, content: Content): Partial<Semantic>;
}
