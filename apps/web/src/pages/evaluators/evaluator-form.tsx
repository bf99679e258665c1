import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import { refreshEvaluators, type VersionBody } from "../../evaluating/queries.ts";
import { ServerIssues } from "../../evaluating/server-issues.tsx";
import { api } from "../../lib/api.ts";
import { fieldErrors } from "../../lib/field-errors.ts";
import { evaluatorTexts } from "../../texts/evaluators-en.ts";
import { Button } from "../../ui/button.tsx";
import { Field, Input } from "../../ui/input.tsx";
import { SegmentedControl } from "../../ui/segmented-control.tsx";
import { CodeFields } from "./code-fields.tsx";
import { JudgeFields } from "./judge-fields.tsx";
import { RuleFields } from "./rule-fields.tsx";

const TEXTS = evaluatorTexts.form;

/** What the fields of a kind say so far. */
export interface KindDraft {
	/** Undefined while something is missing or wrong. */
	readonly version: VersionBody | undefined;
	/** Key and version of the template that it is made from. */
	readonly template?: string;
	/** A name to begin with. */
	readonly suggestedName?: string;
}

export interface KindFieldsProps {
	/** Whether the fields say what is missing: after the first try to save. */
	readonly isChecked: boolean;
	readonly onDraft: (draft: KindDraft) => void;
}

/** The form for a new evaluator. */
export function EvaluatorForm({
	template,
	onLeave,
}: {
	/** Key of the template to begin with. */
	template: string | undefined;
	onLeave: () => void;
}): ReactNode {
	const queries = useQueryClient();
	const navigate = useNavigate();
	const [kind, setKind] = useState<VersionBody["kind"]>("LLM");
	const [typedName, setName] = useState<string>();
	const [description, setDescription] = useState("");
	const [draft, setDraft] = useState<KindDraft>({ version: undefined });
	const [isChecked, setChecked] = useState(false);
	const name = typedName ?? draft.suggestedName ?? "";
	const save = useMutation({
		mutationFn: async (version: VersionBody) =>
			(
				await api.post("/v1/evaluators", {
					body: {
						name,
						version,
						...(description === "" ? {} : { description }),
						...(draft.template === undefined ? {} : { template: draft.template }),
					},
				})
			).data,
		onSuccess: async (made) => {
			await refreshEvaluators(queries);
			await navigate({
				to: "/evaluators/$evaluator",
				params: { evaluator: made.name },
				search: { tab: "try", just_saved: "1" },
			});
		},
	});
	const { at, rest } = fieldErrors(save.error, { name: ["evaluator_exists"] });
	const choose = (next: VersionBody["kind"]) => {
		setKind(next);
		setDraft({ version: undefined });
		setChecked(false);
		save.reset();
	};
	const fields = { isChecked, onDraft: setDraft };
	return (
		<form
			className="mx-auto flex max-w-3xl flex-col gap-3 p-4"
			onSubmit={(event) => {
				event.preventDefault();
				setChecked(true);
				if (draft.version !== undefined) save.mutate(draft.version);
			}}
		>
			<h1 className="font-semibold text-xl">{TEXTS.title}</h1>
			<div>
				<SegmentedControl
					label={TEXTS.kind}
					value={kind}
					onChange={choose}
					choices={(["LLM", "BUILT_IN", "CODE"] as const).map((value) => ({ value, label: TEXTS.kinds[value] }))}
				/>
			</div>
			<Field label={TEXTS.name} error={at.name}>
				<Input
					required
					maxLength={200}
					value={name}
					aria-invalid={at.name !== undefined}
					onChange={(event) => setName(event.target.value)}
				/>
			</Field>
			<Field label={TEXTS.description}>
				<Input maxLength={10_000} value={description} onChange={(event) => setDescription(event.target.value)} />
			</Field>
			{kind === "LLM" && <JudgeFields {...fields} template={template} />}
			{kind === "BUILT_IN" && <RuleFields {...fields} />}
			{kind === "CODE" && <CodeFields {...fields} />}
			<ServerIssues error={rest} />
			<div className="flex justify-end gap-2">
				<Button onClick={onLeave}>{TEXTS.cancel}</Button>
				<Button type="submit" look="primary" disabled={save.isPending}>
					{TEXTS.save}
				</Button>
			</div>
		</form>
	);
}
