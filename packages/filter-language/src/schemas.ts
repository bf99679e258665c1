import { type Collection, type FilterTarget, PROMPT_VERSION, type RowKind, type ValueType } from "./condition.ts";

export interface FieldSchema {
	readonly valueType: ValueType;
	/** Case into which literals are converted that are compared with this field. */
	readonly casing?: "upper" | "lower";
	/** Length of OpenTelemetry's ids: literals that are such an id are converted to lower case. */
	readonly hexDigits?: number;
	/** Literals that are a global id of one of these types are converted into its row number. */
	readonly idOf?: readonly string[];
	/** All possible values. */
	readonly values?: readonly string[];
	/** The field stands for several texts, so it may only be on the right of `in`. */
	readonly onlySearched?: true;
	/** The field is read from the content, as an attribute with this path, or (`tags`) as a list in which texts are looked for. */
	readonly content?: readonly string[] | "tags";
	readonly description: string;
}

export interface RowSchema {
	readonly fields: Readonly<Record<string, FieldSchema>>;
	/** Alternative names of fields. */
	readonly aliases: Readonly<Record<string, string>>;
	readonly collections: Readonly<Partial<Record<Collection, RowKind>>>;
	readonly hasAttributes: boolean;
	/** The names by which an expression can refer to one annotation of the row. */
	readonly annotations?: { readonly target: FilterTarget; readonly names: readonly string[] };
}

const SPAN_KINDS =
	"UNKNOWN LLM CHAIN AGENT TOOL RETRIEVER EMBEDDING RERANKER GUARDRAIL EVALUATOR PROMPT DECISION".split(" ");

/** Of `packages/error-groups`. */
const ERROR_KINDS = ["refusal", "provider_error", "tool_failure", "exception", "error"];

const span: RowSchema = {
	fields: {
		span_id: { valueType: "text", hexDigits: 16, description: "16 hex digits" },
		trace_id: { valueType: "text", hexDigits: 32, description: "32 hex digits" },
		parent_id: { valueType: "text", hexDigits: 16, description: "span id of the parent; missing for roots" },
		name: text("name of the span"),
		span_kind: kind(SPAN_KINDS.join(", ")),
		status_code: status("UNSET, OK or ERROR"),
		status_message: text("what the span says of its status"),
		model: text("model that answered"),
		provider: text("provider of the model"),
		user_id: text("id of its user, else of its trace's; missing without one"),
		session_id: text("id of its session, else of its trace's; missing without one"),
		release: text("version of what sent it, else of its trace; missing without one"),
		environment: text("where that runs, else its trace's; missing without one"),
		api_key: {
			...text("id of the API key that it came with; missing without one"),
			idOf: ["UserApiKey", "SystemApiKey"],
		},
		prompt_version: {
			...text("id of the version of a prompt that it names; missing without one"),
			content: PROMPT_VERSION,
		},
		tags: tags("its tags; only on the right of in, for a whole tag"),
		error_group: text("fingerprint of the group of errors that it is in; missing where it is none by itself"),
		error_kind: {
			...text(`how it failed: ${ERROR_KINDS.join(", ")}; missing as above`),
			casing: "lower",
			values: ERROR_KINDS,
		},
		error_tool: text("tool that failed, or that its span names; missing as above, and without one"),
		start_time: datetime("when it started"),
		end_time: datetime("when it ended"),
		latency_ms: number("milliseconds from start to end; missing while it runs"),
		is_running: boolean("whether it has no end yet; the unfinished ones, too"),
		...tokens("llm_token_count", "of the span itself; missing where it has none"),
		...tokens("cumulative_llm_token_count", "of the span and everything below it"),
		cumulative_error_count: number("spans with an error, itself and everything below it"),
		...costs("of the span, 0 when unknown"),
	},
	aliases: {
		"context.span_id": "span_id",
		"context.trace_id": "trace_id",
		"cumulative_token_count.prompt": "cumulative_llm_token_count_prompt",
		"cumulative_token_count.completion": "cumulative_llm_token_count_completion",
		"cumulative_token_count.total": "cumulative_llm_token_count_total",
	},
	collections: { children: "span", siblings: "span", annotations: "annotation", cost_details: "cost_detail" },
	hasAttributes: true,
	annotations: { target: "span", names: ["annotations", "evals"] },
};

const trace: RowSchema = {
	fields: {
		trace_id: { valueType: "text", hexDigits: 32, description: "32 hex digits" },
		session_id: text("id of the session; missing without one"),
		user_id: text("id of the user; missing without one"),
		release: text("version of what sent the root span, else the earliest that has one"),
		environment: text("where that runs, else of the earliest span that has one"),
		tags: tags("tags of the root span; only on the right of in, for a whole tag"),
		name: text("name of the root span"),
		root_kind: kind("`span_kind` of the root span"),
		root_status_code: status("UNSET, OK or ERROR, of the root span"),
		status_code: status("ERROR if one of its spans has an error, else that of the root span"),
		start_time: datetime("when its first span started"),
		end_time: datetime("when its last span ended"),
		latency_ms: number("milliseconds from start to end; missing while it runs"),
		is_running: boolean("whether one of its spans has no end yet"),
		num_spans: number("number of spans"),
		error_count: number("spans with an error"),
		tool_span_count: number("spans of kind TOOL"),
		llm_span_count: number("spans of kind LLM"),
		...tokens("token_count", "of all spans, nothing twice"),
		...costs("of all spans, nothing twice; 0 when unknown"),
		input: text("what the root span was given"),
		output: text("what the root span gave back"),
	},
	aliases: { "user.id": "user_id", "session.id": "session_id" },
	collections: {
		spans: "span",
		trace_annotations: "annotation",
		span_annotations: "annotation",
		span_cost_details: "cost_detail",
	},
	hasAttributes: true,
	annotations: { target: "trace", names: ["trace_annotations"] },
};

const session: RowSchema = {
	fields: {
		session_id: text("id of the session"),
		user_id: text("id of the first trace's user; missing without one"),
		status_code: status("ERROR if one of its spans has an error, else UNSET"),
		start_time: datetime("when its first trace started"),
		end_time: datetime("when its last trace ended"),
		duration_ms: number("milliseconds from start to end"),
		is_running: boolean("whether one of its spans has no end yet"),
		num_traces: number("number of traces"),
		num_traces_with_error: number("traces with an error"),
		num_spans: number("number of spans"),
		error_count: number("spans with an error"),
		tool_span_count: number("spans of kind TOOL"),
		llm_span_count: number("spans of kind LLM"),
		...tokens("token_count", "of all spans, nothing twice"),
		...costs("of all spans, nothing twice; 0 when unknown"),
		first_input: text("input of the first trace"),
		last_output: text("output of the last trace"),
		any_input: { ...text("input of any of its traces"), onlySearched: true },
		any_output: { ...text("output of any of its traces"), onlySearched: true },
	},
	aliases: { "user.id": "user_id" },
	collections: {
		traces: "trace",
		spans: "span",
		session_annotations: "annotation",
		span_annotations: "annotation",
		span_cost_details: "cost_detail",
	},
	hasAttributes: true,
	annotations: { target: "session", names: ["session_annotations"] },
};

const annotation: RowSchema = {
	fields: {
		name: text("name of the annotation"),
		label: text("label; missing without one"),
		score: number("score; missing without one"),
		explanation: text("explanation; missing without one"),
		identifier: text("identifier; empty without one"),
		annotator_kind: {
			valueType: "text",
			casing: "upper",
			values: ["HUMAN", "LLM", "CODE", "AGENT", "DECISION"],
			description: "HUMAN, LLM, CODE, AGENT or DECISION",
		},
	},
	aliases: {},
	collections: {},
	hasAttributes: false,
};

const costDetail: RowSchema = {
	fields: {
		token_type: {
			valueType: "text",
			casing: "lower",
			values: ["input", "output", "cache_read", "cache_write", "reasoning"],
			description: "input, output, cache_read, cache_write or reasoning",
		},
		is_prompt: boolean("whether the tokens are the prompt's"),
		cost: number("US dollars"),
		tokens: number("number of tokens; missing when unknown"),
		cost_per_token: number("US dollars; missing without tokens"),
	},
	aliases: {},
	collections: {},
	hasAttributes: false,
};

export const ROW_SCHEMAS: Readonly<Record<RowKind, RowSchema>> = {
	span,
	trace,
	session,
	annotation,
	cost_detail: costDetail,
};

export const ANNOTATION_FIELDS: Readonly<Record<string, "text" | "number">> = {
	score: "number",
	label: "text",
	explanation: "text",
	identifier: "text",
};

function text(description: string): FieldSchema {
	return { valueType: "text", description };
}

function kind(description: string): FieldSchema {
	return { valueType: "text", casing: "upper", values: SPAN_KINDS, description };
}

function status(description: string): FieldSchema {
	return { valueType: "text", casing: "upper", values: ["UNSET", "OK", "ERROR"], description };
}

function tags(description: string): FieldSchema {
	return { valueType: "text", onlySearched: true, content: "tags", description };
}

function number(description: string): FieldSchema {
	return { valueType: "number", description };
}

function boolean(description: string): FieldSchema {
	return { valueType: "boolean", description };
}

function datetime(description: string): FieldSchema {
	return { valueType: "datetime", description };
}

function tokens(prefix: string, of: string): Record<string, FieldSchema> {
	return {
		[`${prefix}_prompt`]: number(`prompt tokens ${of}`),
		[`${prefix}_completion`]: number(`completion tokens ${of}`),
		[`${prefix}_total`]: number(`all tokens ${of}`),
	};
}

function costs(of: string): Record<string, FieldSchema> {
	return {
		total_cost: number(`US dollars ${of}`),
		prompt_cost: number(`US dollars for prompts ${of}`),
		completion_cost: number(`US dollars for completions ${of}`),
	};
}
