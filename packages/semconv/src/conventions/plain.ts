// Spans of web services and databases: shown as they are, with the session and the user that the application named.
import { IDENTITY_KEYS, readIdentity } from "../identity.ts";
import type { Attributes, Convention, Semantic, SpanFacts } from "../model.ts";
import type { ConventionReader } from "./convention.ts";
import { flattenedMetadata, readOpenInferenceContent } from "./openinference.ts";

export const plain: ConventionReader = {
	factKeys: IDENTITY_KEYS,
	readFacts(_name: string, _scope: string, attributes: Attributes, convention: Convention): SpanFacts {
		const facts: SpanFacts = {
			convention,
			kind: "UNKNOWN",
			kind_from: "no LLM attributes",
			tokens: {},
			tokens_are_aggregate: false,
		};
		return attributes.size === 0 ? facts : readIdentity(attributes, facts);
	},
	readContent: ({ attributes }) => readOpenInferenceContent(attributes),
	readDetails({ attributes }): Partial<Semantic> {
		const metadata = flattenedMetadata(attributes);
		return metadata === undefined ? {} : { metadata_flattened: metadata };
	},
};
