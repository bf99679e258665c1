/** What is sent of a version in tests; the rest is filled in. */
export interface SentVersion {
	readonly system: string;
	readonly user?: string;
	readonly temperature?: number;
	readonly description?: string;
}

/** A version of a chat prompt, as the API takes it. */
export function promptVersion({ system, user = "{{question}}", temperature = 0, description }: SentVersion) {
	return {
		...(description === undefined ? {} : { description }),
		model_provider: "OPENAI",
		model_name: "gpt-4o-mini",
		template: {
			type: "chat",
			messages: [
				{ role: "system", content: system },
				{ role: "user", content: user },
			],
		},
		template_type: "CHAT",
		template_format: "MUSTACHE",
		invocation_parameters: { type: "openai", openai: { temperature } },
	};
}
