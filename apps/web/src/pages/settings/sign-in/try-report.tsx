import type { ReactNode } from "react";
import { settingsTexts } from "../../../texts/settings-en.ts";
import { signInTexts } from "../../../texts/sign-in-en.ts";
import { classNames } from "../../../ui/class-names.ts";
import { JsonTree } from "../../../ui/content/json-tree.tsx";
import type { Json } from "../../../ui/content/json-value.ts";
import { OutcomeIcon } from "../../../ui/outcome-icon.tsx";
import type { SignInTry } from "./sign-in-queries.ts";
import { StepList } from "./step-list.tsx";

const TEXTS = settingsTexts.signIn;

/** The report of a try: the decision first, then its reasons. */
export function TryReport({ report }: { report: SignInTry }): ReactNode {
	return (
		<div className="flex flex-col gap-3">
			<Decision report={report} />
			<StepList label={TEXTS.steps} steps={report.steps} showsFacts />
			{report.claims !== null && (
				<details open>
					<summary className="w-fit cursor-pointer text-muted">{TEXTS.claims}</summary>
					<div className="mt-1 overflow-auto rounded bg-sunken p-2">
						<JsonTree value={report.claims as Json} label={TEXTS.claims} />
					</div>
				</details>
			)}
		</div>
	);
}

function Decision({ report: { accepted, code, steps } }: { report: SignInTry }): ReactNode {
	// The last failed step ended it: with several directories, others may have failed before.
	const isUnproven = steps.some(({ name, outcome }) => name === "user_bind" && outcome === "skipped");
	const why = steps.findLast(({ outcome, name }) => (accepted ? name === "account" : outcome === "failed"));
	return (
		<div
			role="status"
			className={classNames(
				"flex gap-2 rounded border px-3 py-2",
				accepted ? "border-ok" : "border-danger bg-danger-soft",
			)}
		>
			<span className="flex h-5 items-center">
				<OutcomeIcon outcome={accepted ? "ok" : "failed"} />
			</span>
			<div className="flex min-w-0 flex-col gap-1 [overflow-wrap:anywhere]">
				<p className={classNames("font-semibold", accepted ? "text-ok" : "text-danger")}>
					{accepted ? (isUnproven ? TEXTS.letInIf : TEXTS.letIn) : TEXTS.refused}
				</p>
				{why && <p>{why.text}</p>}
				{code !== null && (
					<p className="text-sm">
						{TEXTS.wouldSay} “{logInPageText(code)}” (<code className="font-mono">{code}</code>)
					</p>
				)}
			</div>
		</div>
	);
}

function logInPageText(code: string): string {
	return (Object.hasOwn(signInTexts.errors, code) ? signInTexts.errors[code] : undefined) ?? signInTexts.unknownError;
}
