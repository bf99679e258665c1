// Spans of web services and databases: shown as they are, with the session and the user that the application named.
import { textList } from "../attribute-values.ts";
import { compact } from "../compact.ts";
import { IDENTITY_KEYS, readIdentity } from "../identity.ts";
import { decodedContent } from "../json.ts";
import type { Attributes, Convention, Semantic, SpanFacts, SpanKind } from "../model.ts";
import type { ConventionReader } from "./convention.ts";
import { flattenedMetadata, readOpenInferenceContent } from "./openinference.ts";

export const plain: ConventionReader = {
	factKeys: IDENTITY_KEYS,
	readFacts(name: string, scope: string, attributes: Attributes, convention: Convention): SpanFacts {
		const kind = scope === "gcp.vertex.agent" ? kindOfAdk(name) : undefined;
		const facts: SpanFacts = {
			convention,
			kind: kind ?? "UNKNOWN",
			kind_from: kind === undefined ? "no LLM attributes" : "name",
			tokens: {},
			tokens_are_aggregate: false,
		};
		return attributes.size === 0 ? facts : readIdentity(attributes, facts);
	},
	readContent: ({ attributes }) => readOpenInferenceContent(attributes),
	readDetails({ attributes }): Partial<Semantic> {
		return compact<Partial<Semantic>>({
			metadata: decodedContent(attributes.get("metadata")),
			metadata_flattened: flattenedMetadata(attributes),
			tags: textList(attributes.get("tag.tags") ?? attributes.get("logfire.tags")),
		});
	},
};

/** Google's Agent Development Kit sets no attributes on its outer spans and on failed model calls: the name decides. */
function kindOfAdk(name: string): SpanKind | undefined {
	if (name === "invocation") return "CHAIN";
	if (name === "call_llm") return "LLM";
	return name.startsWith("agent_run") || name.startsWith("invoke_agent") ? "AGENT" : undefined;
}
