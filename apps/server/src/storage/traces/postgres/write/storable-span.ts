import { storableText } from "#storage/postgres/storable-text.ts";
import type { NormalizedSpan } from "#storage/traces/span-batch.ts";

/** The span with texts that PostgreSQL can store in its row; the content stays unchanged. */
export function storableSpan(span: NormalizedSpan): NormalizedSpan {
	const { facts } = span;
	const isStorable =
		isStorableText(span.name) &&
		isStorableText(span.statusMessage) &&
		isStorableText(span.projectName) &&
		isStorableText(facts.model) &&
		isStorableText(facts.provider) &&
		isStorableText(facts.session_id) &&
		isStorableText(facts.user_id) &&
		isStorableText(facts.release) &&
		isStorableText(facts.environment);
	if (isStorable) return span;
	const { model, provider, session_id, user_id, release, environment } = facts;
	return {
		...span,
		name: storableText(span.name),
		statusMessage: storableText(span.statusMessage),
		projectName: storableText(span.projectName),
		facts: {
			...facts,
			...(model === undefined ? {} : { model: storableText(model) }),
			...(provider === undefined ? {} : { provider: storableText(provider) }),
			...(session_id === undefined ? {} : { session_id: storableText(session_id) }),
			...(user_id === undefined ? {} : { user_id: storableText(user_id) }),
			...(release === undefined ? {} : { release: storableText(release) }),
			...(environment === undefined ? {} : { environment: storableText(environment) }),
		},
	};
}

function isStorableText(text: string | undefined): boolean {
	return text === undefined || !text.includes("\0");
}
