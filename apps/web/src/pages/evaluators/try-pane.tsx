import type { EvaluatorVersionOfEvaluator } from "@spanward/client";
import { useMutation } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { EvaluationResult } from "../../evaluating/evaluation-result.tsx";
import { parseObject } from "../../evaluating/json-text.ts";
import type { TryBody } from "../../evaluating/queries.ts";
import { ServerIssues } from "../../evaluating/server-issues.tsx";
import { api } from "../../lib/api.ts";
import { useCan } from "../../lib/me.ts";
import { evaluatorTexts } from "../../texts/evaluators-en.ts";
import { Button } from "../../ui/button.tsx";
import { Field, Input } from "../../ui/input.tsx";
import { JsonField } from "../../ui/json-field.tsx";
import { SegmentedControl } from "../../ui/segmented-control.tsx";

const TEXTS = evaluatorTexts.try;
type TargetKind = keyof typeof TEXTS.targets;

/** Has a version judge one thing, without annotating it. */
export function TryPane({ version }: { version: EvaluatorVersionOfEvaluator }): ReactNode {
	const can = useCan();
	const [kind, setKind] = useState<TargetKind>("values");
	const [values, setValues] = useState(() =>
		JSON.stringify(Object.fromEntries(version.version.inputs.map(({ name }) => [name, ""])), null, 2),
	);
	const [id, setId] = useState("");
	const [project, setProject] = useState("");
	const read = parseObject(values);
	const attempt = useMutation({
		mutationFn: async (target: TryBody["target"]) =>
			(await api.post("/v1/evaluations", { body: { evaluator_version_id: version.id, target } })).data,
	});
	if (!can("write")) return <p className="text-muted">{TEXTS.readOnly}</p>;
	const target = targetOf(kind, id.trim(), project.trim(), "value" in read ? read.value : undefined);
	return (
		<div className="grid gap-6 lg:grid-cols-2">
			<form
				className="flex min-w-0 flex-col gap-3"
				onSubmit={(event) => {
					event.preventDefault();
					if (target !== undefined) attempt.mutate(target);
				}}
			>
				<div>
					<SegmentedControl
						label={TEXTS.target}
						value={kind}
						onChange={setKind}
						choices={(["values", "span", "trace", "session", "run"] as const).map((value) => ({
							value,
							label: TEXTS.targets[value],
						}))}
					/>
				</div>
				{kind === "values" ? (
					<JsonField
						label={TEXTS.values}
						value={values}
						onChange={setValues}
						problem={"problem" in read ? read.problem : undefined}
						className="min-h-40"
					/>
				) : (
					<>
						<Field label={TEXTS.id}>
							<Input required maxLength={1024} value={id} onChange={(event) => setId(event.target.value)} />
						</Field>
						{kind !== "run" && (
							<Field label={TEXTS.project} hint={TEXTS.projectHint}>
								<Input maxLength={1024} value={project} onChange={(event) => setProject(event.target.value)} />
							</Field>
						)}
					</>
				)}
				<p className="text-muted text-sm">{TEXTS.hint}</p>
				<ServerIssues error={attempt.error} />
				<Button
					type="submit"
					look="primary"
					className="self-start"
					disabled={attempt.isPending || target === undefined}
				>
					{attempt.isPending ? TEXTS.running : TEXTS.run}
				</Button>
			</form>
			{attempt.data && <EvaluationResult result={attempt.data} />}
		</div>
	);
}

/** Undefined while something is missing. */
function targetOf(
	kind: TargetKind,
	id: string,
	project: string,
	values: Readonly<Record<string, unknown>> | undefined,
): TryBody["target"] | undefined {
	if (kind === "values") return values === undefined ? undefined : { values: { ...values } };
	if (id === "") return undefined;
	if (kind === "run") return { experiment_run_id: id };
	const within = project === "" ? {} : { project };
	if (kind === "session") return { session_id: id, ...within };
	return kind === "span" ? { span_id: id, ...within } : { trace_id: id, ...within };
}
