import { attributesBelow, firstText, toObject } from "../attribute-values.ts";
import { compact } from "../compact.ts";
import { decodedContent } from "../json.ts";
import type { Attributes, Plain, Semantic } from "../model.ts";

const IDENTITIES = new Set(["session_id", "user_id", "sessionId", "userId", "session.id", "user.id"]);

/** Properties that the application attached to its traces, without session and user, which are shown separately. */
export function associationProperties(attributes: Attributes): Plain | undefined {
	const properties = attributesBelow(attributes, "traceloop.association.properties");
	if (properties === undefined) return undefined;
	const others = [...properties].filter(([key]) => !IDENTITIES.has(key));
	return others.length > 0 ? toObject(others) : undefined;
}

export function readPromptTemplate(attributes: Attributes): Semantic["prompt_template"] | undefined {
	const template = compact<NonNullable<Semantic["prompt_template"]>>({
		template: firstText(attributes, ["traceloop.prompt.template"]),
		version: firstText(attributes, ["traceloop.prompt.version", "traceloop.prompt.version_name"]),
		variables: decodedContent(attributes.get("traceloop.prompt.template_variables")),
	});
	return Object.keys(template).length > 0 ? template : undefined;
}
