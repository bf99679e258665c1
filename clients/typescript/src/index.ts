export {
	ApiError,
	AuthenticationError,
	ConflictError,
	ConnectionError,
	InvalidRequestError,
	type Issue,
	NotFoundError,
	PermissionError,
	PreconditionFailedError,
	ServerError,
	TooManyRequestsError,
} from "./api-error.ts";
export { type Client, type ClientOptions, createClient } from "./client.ts";
export {
	contains,
	createEvaluator,
	type EvaluationResult,
	type Evaluator,
	type EvaluatorAnswer,
	type EvaluatorInput,
	exactMatch,
	isJson,
	matches,
} from "./experiments/evaluators.ts";
export type { Progress } from "./experiments/progress.ts";
export {
	type DryRun,
	type DryRunResult,
	type EvaluateOptions,
	type ExperimentOptions,
	type ExperimentResult,
	evaluateExperiment,
	type ResumeOptions,
	resumeExperiment,
	runExperiment,
	type Task,
} from "./experiments/run-experiment.ts";
export { JobNotDoneError, type ServerEvaluator } from "./experiments/server-evaluators.ts";
export { ResultsNotStoredError, storeResults, type UnstoredResult } from "./experiments/unstored.ts";
export type * from "./generated/api.ts";
export { type OtlpJson, toOtlpJson } from "./otlp-json.ts";
export { Paged } from "./paged.ts";
export type { AnalyticsQuestion } from "./resources/analytics.ts";
export type { NewExample } from "./resources/datasets.ts";
export type { EndUserInRange } from "./resources/end-users.ts";
export type { JobWait, NewExperimentJob } from "./resources/experiment-jobs.ts";
export type { GateOptions } from "./resources/experiments.ts";
export { formatPrompt, type NewChatVersion, promptVersion, toOpenAI } from "./resources/prompts.ts";
export type { SessionTurn } from "./resources/sessions.ts";
export type { RetryPolicy } from "./retrying-fetch.ts";
export type { ServerSentEvent } from "./server-sent-events.ts";
export { Spanward, type SpanwardOptions } from "./spanward.ts";
export type { ChangeOptions, Tagged } from "./tagged.ts";
