import type { ModelConnectionTest } from "@spanward/client";
import { useMutation, useQuery } from "@tanstack/react-query";
import { type ReactNode, useId, useState } from "react";
import { api } from "../../../lib/api.ts";
import { texts } from "../../../texts/en.ts";
import { modelsTexts as TEXTS } from "../../../texts/models-en.ts";
import { Button } from "../../../ui/button.tsx";
import { CopyButton } from "../../../ui/copy-button.tsx";
import { Dialog } from "../../../ui/dialog.tsx";
import { FormError } from "../../../ui/form-error.tsx";
import { Field, Input } from "../../../ui/input.tsx";
import { OutcomeIcon, OutcomeWord } from "../../../ui/outcome-icon.tsx";
import { type ModelConnection, modelsOfConnectionQuery } from "./model-queries.ts";

/** Tries a stored connection, step by step; with a model also what that can do. */
export function TestConnectionDialog({
	connection: { id, name, default_model: usual },
	onClose,
}: {
	connection: ModelConnection;
	onClose: () => void;
}): ReactNode {
	const listId = useId();
	const [model, setModel] = useState(usual ?? "");
	const known = useQuery(modelsOfConnectionQuery(id));
	const test = useMutation({
		mutationFn: () =>
			api.post("/v1/model_connections/{connection_id}/test", {
				path: { connection_id: id },
				body: { model: model.trim() || null },
			}),
	});
	return (
		<Dialog open onOpenChange={onClose} title={TEXTS.testTitle(name)}>
			<form
				className="flex flex-col gap-3 overflow-auto p-4"
				onSubmit={(event) => {
					event.preventDefault();
					test.mutate();
				}}
			>
				<Field label={TEXTS.testModel} hint={model.trim() === "" ? TEXTS.testModelHint : TEXTS.testCosts}>
					<Input
						value={model}
						list={listId}
						maxLength={200}
						className="font-mono"
						onChange={(event) => setModel(event.target.value)}
					/>
				</Field>
				<datalist id={listId}>
					{(known.data ?? []).map((each) => (
						<option key={each.name} value={each.name} />
					))}
				</datalist>
				<FormError error={test.error} />
				<TestReport report={test.data} isPending={test.isPending} />
				<div className="flex justify-end gap-2">
					<Button onClick={onClose}>{texts.action.close}</Button>
					<Button type="submit" look="primary" disabled={test.isPending}>
						{test.data === undefined ? TEXTS.testRun : TEXTS.testAgain}
					</Button>
				</div>
			</form>
		</Dialog>
	);
}

/** What a test has seen. */
export function TestReport({
	report,
	isPending,
}: {
	report: ModelConnectionTest | undefined;
	isPending: boolean;
}): ReactNode {
	return (
		<div role="status" className="flex flex-col gap-2">
			{isPending && <p className="text-muted">{TEXTS.testRunning}</p>}
			{report !== undefined && !isPending && (
				<>
					<OutcomeWord outcome={report.ok ? "ok" : "failed"} word={report.ok ? TEXTS.testOk : TEXTS.testFailed} />
					<ol aria-label={TEXTS.testSteps} className="flex flex-col">
						{report.steps.map((step) => (
							<li key={step.name} className="flex gap-2 border-line border-t py-1.5 first:border-t-0">
								<span className="flex h-5 items-center">
									<OutcomeIcon outcome={step.outcome} />
								</span>
								<div className="flex min-w-0 flex-1 flex-col sm:flex-row sm:gap-3">
									<span className="w-32 shrink-0 font-medium">{TEXTS.step[step.name]}</span>
									<div className="flex min-w-0 flex-1 flex-col gap-1">
										<p className="[overflow-wrap:anywhere]">{step.message}</p>
										{step.setting !== null && <Variable name={step.setting} />}
									</div>
									{step.outcome !== "skipped" && (
										<span className="shrink-0 text-muted text-sm">{TEXTS.testMs(String(step.latency_ms))}</span>
									)}
								</div>
							</li>
						))}
					</ol>
				</>
			)}
		</div>
	);
}

/** The variable to change. */
function Variable({ name }: { name: string }): ReactNode {
	return (
		<span className="flex flex-wrap items-center gap-x-2">
			<span className="text-muted text-sm">{TEXTS.testSetting}</span>
			<span className="inline-flex min-w-0 items-center rounded bg-sunken pl-1.5">
				<code className="min-w-0 font-mono text-sm [overflow-wrap:anywhere]">{name}</code>
				<CopyButton text={name} label={texts.action.copyNamed(name)} className="size-6" />
			</span>
		</span>
	);
}
