import { config } from "../lib/config.ts";
import { signInTexts } from "../texts/sign-in-en.ts";

const TEXTS = signInTexts.refused;

/** Why the server refused a form, for the user. */
export interface Refusal {
	/** 0: the server did not answer. */
	readonly status: number;
	readonly code: string;
	readonly text: string;
	/** Each thing that is wrong, where the server lists them. */
	readonly issues: readonly string[];
	/** After how many seconds it can be tried again, where the server says so. */
	readonly retryAfter?: number;
}

const ANSWER_WITHIN_MS = 30_000;

/**
 * Sends a form of sign-in as JSON.
 * @returns undefined when the server accepted it
 */
export async function sendForm(method: "POST" | "PATCH", path: string, body: unknown): Promise<Refusal | undefined> {
	try {
		const response = await fetch(`${config.basePath}${path}`, {
			method,
			headers: { accept: "application/json, application/problem+json", "content-type": "application/json" },
			body: JSON.stringify(body),
			signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
		});
		return response.ok ? undefined : await toRefusal(response);
	} catch (error) {
		if (error instanceof TypeError || error instanceof DOMException) return offline();
		throw error;
	}
}

export function offline(): Refusal {
	return { status: 0, code: "no_answer", text: TEXTS.offline, issues: [] };
}

type Problem = Readonly<Record<string, unknown>>;

export async function toRefusal(response: Response): Promise<Refusal> {
	const problem: Problem = response.headers.get("content-type")?.includes("json")
		? ((await response.json()) as Problem)
		: {};
	const { status } = response;
	const code = typeof problem["code"] === "string" ? problem["code"] : `http_${status}`;
	const header = Number(response.headers.get("retry-after") ?? Number.NaN);
	const retryAfter = Number.isFinite(header) ? header : undefined;
	return {
		status,
		code,
		text: refusalText(status, code, problem, retryAfter),
		issues: listIssues(problem),
		...(retryAfter === undefined ? {} : { retryAfter }),
	};
}

function refusalText(status: number, code: string, problem: Problem, after: number | undefined): string {
	if (code.startsWith("untrusted")) return TEXTS.untrusted;
	if (code === "wrong_password") return TEXTS.wrongCurrent;
	if (code === "login_locked") return TEXTS.locked(after);
	if (code === "basic_auth_disabled") return TEXTS.noPasswords;
	if (code === "mail_not_configured") return TEXTS.noMail;
	if (code === "directory_unavailable") return TEXTS.directory;
	if (status === 429) return TEXTS.tooMany(after);
	if (status === 502 || status === 503 || status === 504) return TEXTS.busy;
	const { detail, request_id: requestId } = problem;
	if (status < 500 && typeof detail === "string") return detail;
	return typeof requestId === "string" ? `${TEXTS.other(status)} ${TEXTS.request(requestId)}` : TEXTS.other(status);
}

function listIssues({ errors }: Problem): string[] {
	if (!Array.isArray(errors)) return [];
	return errors.flatMap((issue: unknown) =>
		typeof issue === "object" && issue !== null && "msg" in issue && typeof issue.msg === "string" ? [issue.msg] : [],
	);
}
