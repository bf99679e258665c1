import type { NormalizedSpan } from "../../span-batch.ts";
import { storable } from "./insert-rows.ts";

/** The span with texts for its row that PostgreSQL can store; its content stays as it is. */
export function storableSpan(span: NormalizedSpan): NormalizedSpan {
	const { facts } = span;
	const texts = [span.name, span.statusMessage, span.projectName, facts.model, facts.provider, facts.session_id];
	if (![...texts, facts.user_id].some((text) => text?.includes("\0"))) return span;
	const { model, provider, session_id, user_id } = facts;
	return {
		...span,
		name: storable(span.name),
		statusMessage: storable(span.statusMessage),
		projectName: storable(span.projectName),
		facts: {
			...facts,
			...(model === undefined ? {} : { model: storable(model) }),
			...(provider === undefined ? {} : { provider: storable(provider) }),
			...(session_id === undefined ? {} : { session_id: storable(session_id) }),
			...(user_id === undefined ? {} : { user_id: storable(user_id) }),
		},
	};
}
