import type { NormalizedSpan } from "../../span-batch.ts";
import { storable } from "./insert-rows.ts";

/** The span with texts for its row that PostgreSQL can store; its content stays as it is. */
export function storableSpan(span: NormalizedSpan): NormalizedSpan {
	const { facts } = span;
	const isStorable =
		isStorableText(span.name) &&
		isStorableText(span.statusMessage) &&
		isStorableText(span.projectName) &&
		isStorableText(facts.model) &&
		isStorableText(facts.provider) &&
		isStorableText(facts.session_id) &&
		isStorableText(facts.user_id);
	if (isStorable) return span;
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

function isStorableText(text: string | undefined): boolean {
	return text === undefined || !text.includes("\0");
}
