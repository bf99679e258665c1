/** Types that have a global id, `base64("<Type>:<row number>")`. */
export type IdType =
	| "Project"
	| "Trace"
	| "Span"
	| "ProjectSession"
	| "SpanAnnotation"
	| "TraceAnnotation"
	| "ProjectSessionAnnotation"
	| "DocumentAnnotation"
	| "WaitingAnnotation"
	| "CategoricalAnnotationConfig"
	| "ContinuousAnnotationConfig"
	| "FreeformAnnotationConfig"
	| "Dataset"
	| "DatasetVersion"
	| "DatasetExample"
	| "DatasetExampleRevision"
	| "DatasetSplit"
	| "DatasetLabel"
	| "Experiment"
	| "ExperimentRun"
	| "ExperimentEvaluation"
	| "ExperimentRunReview"
	| "ExperimentTag"
	| "Prompt"
	| "PromptVersion"
	| "PromptVersionTag"
	| "ProjectTraceRetentionPolicy"
	| "RetentionRun"
	| "ModelPrice"
	| "ModelConnection"
	| "GenerativeModelCustomProvider"
	| "Evaluator"
	| "EvaluatorVersion"
	| "ExperimentJob"
	| "CostRecomputation"
	| "BulkRun"
	| "StorageNode"
	| "StorageRepair"
	| "View"
	| "User"
	| "UserApiKey"
	| "SystemApiKey"
	| "LoginSession"
	| "OAuth2Client"
	| "OAuth2Grant"
	| "Team"
	| "AccessRule"
	| "ErrorGroup"
	| "ErrorComment"
	| "ErrorActivity"
	| "AgentCall"
	| "Dashboard"
	| "ReviewQueue"
	| "ReviewItem"
	| "ReviewGoldRun"
	| "AuditEvent";

const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;
const ID = /^([A-Za-z][A-Za-z0-9]*):(\d{1,15})$/;

/** The global id of a row, with padding: `UHJvamVjdDox`. */
export function encodeGlobalId(type: IdType, rowId: number): string {
	return Buffer.from(`${type}:${rowId}`, "latin1").toString("base64");
}

/** The row number in a global id of this type; undefined for anything else. Padding may be missing. */
export function decodeGlobalId(text: string, type: IdType): number | undefined {
	const decoded = decodeBase64(text);
	const match = decoded === undefined ? null : ID.exec(decoded);
	return match?.[1] === type ? Number(match[2]) : undefined;
}

/** Whether this is the global id of something, whatever its type. */
export function isGlobalId(text: string): boolean {
	return ID.test(decodeBase64(text) ?? "");
}

/** Text of strict base64 (padding optional); undefined when it is not. */
export function decodeBase64(text: string): string | undefined {
	if (text.length > 1_024 || !BASE64.test(text)) return undefined;
	return Buffer.from(text, "base64").toString("utf8");
}
