import type { ReactNode } from "react";
import { texts } from "../../../texts/en.ts";
import { settingsTexts } from "../../../texts/settings-en.ts";
import { CopyButton } from "../../../ui/copy-button.tsx";
import { OutcomeIcon } from "../../../ui/outcome-icon.tsx";
import type { SignInStep } from "./sign-in-queries.ts";

const TEXTS = settingsTexts.signIn;

/** The steps of a check, in order; problems name the variables to change. */
export function StepList({
	label,
	steps,
	showsFacts = false,
}: {
	label: string;
	steps: readonly SignInStep[];
	/** Whether facts are shown for successful steps, too. */
	showsFacts?: boolean;
}): ReactNode {
	return (
		<ol aria-label={label} className="flex flex-col">
			{steps.map((step, index) => (
				<li key={`${index} ${step.name}`} className="flex gap-2 border-line border-t py-1.5 first:border-t-0">
					<span className="flex h-5 items-center">
						<OutcomeIcon outcome={step.outcome} />
					</span>
					<div className="flex min-w-0 flex-1 flex-col gap-1 sm:flex-row sm:gap-3">
						<span className="w-32 shrink-0 font-medium">{stepName(step)}</span>
						<div className="flex min-w-0 flex-1 flex-col gap-1">
							<p className="[overflow-wrap:anywhere]">{step.text}</p>
							{step.settings.length > 0 && <Variables names={step.settings} />}
							{step.facts.length > 0 &&
								(showsFacts || step.outcome === "failed" || step.outcome === "warning" ? (
									<FactList facts={step.facts} />
								) : (
									<details>
										<summary className="w-fit cursor-pointer text-muted text-sm">
											{TEXTS.seen(step.facts.length)}
										</summary>
										<FactList facts={step.facts} />
									</details>
								))}
						</div>
					</div>
				</li>
			))}
		</ol>
	);
}

function stepName({ name }: SignInStep): string {
	return (TEXTS.step as Readonly<Record<string, string>>)[name] ?? name.replaceAll("_", " ");
}

/** Variables to change. */
function Variables({ names }: { names: readonly string[] }): ReactNode {
	return (
		<div className="flex flex-wrap items-center gap-x-2 gap-y-1">
			<span className="text-muted text-sm">{TEXTS.change}</span>
			{names.map((name) => (
				<span key={name} className="inline-flex min-w-0 items-center rounded bg-sunken pl-1.5">
					<code className="min-w-0 font-mono text-sm [overflow-wrap:anywhere]">{name}</code>
					<CopyButton text={name} label={texts.action.copyNamed(name)} className="size-6" />
				</span>
			))}
		</div>
	);
}

/** Names and values, one a line. */
export function FactList({
	facts,
}: {
	facts: readonly { readonly name: string; readonly value: string }[];
}): ReactNode {
	return (
		<dl className="grid grid-cols-1 gap-x-4 text-sm sm:grid-cols-[minmax(8rem,max-content)_1fr]">
			{facts.map(({ name, value }, index) => (
				<div key={`${index} ${name}`} className="contents">
					<dt className="text-muted [overflow-wrap:anywhere]">{name}</dt>
					<dd className="whitespace-pre-wrap font-mono [overflow-wrap:anywhere] max-sm:mb-1">{value}</dd>
				</div>
			))}
		</dl>
	);
}
