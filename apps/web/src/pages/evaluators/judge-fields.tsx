import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type ReactNode, useEffect, useEffectEvent, useState } from "react";
import { templateQuery, templatesQuery } from "../../evaluating/queries.ts";
import { JudgeMessages, OutputList } from "../../evaluating/version-parts.tsx";
import { useCan } from "../../lib/me.ts";
import { modelConnectionsQuery } from "../../lib/model-connections.ts";
import { ModelField } from "../../models/model-field.tsx";
import { evaluatorTexts } from "../../texts/evaluators-en.ts";
import { Field } from "../../ui/input.tsx";
import { Select } from "../../ui/select.tsx";
import type { KindFieldsProps } from "./evaluator-form.tsx";

const TEXTS = evaluatorTexts.form;
/** The template of the form when none is asked for: the one that most begin with. */
const FIRST = "correctness";

/** A judge is made from a template, for a connection and a model. */
export function JudgeFields({
	template: asked,
	isChecked,
	onDraft,
}: KindFieldsProps & { template: string | undefined }): ReactNode {
	const can = useCan();
	const [key, setKey] = useState(asked ?? FIRST);
	const [model, setModel] = useState({ connectionId: "", model: "" });
	const { data: templates = [] } = useQuery(templatesQuery);
	const { data: template } = useQuery(templateQuery(key));
	const connections = useQuery(modelConnectionsQuery);
	const [first] = connections.data ?? [];
	const chosen =
		model.connectionId === "" && first !== undefined && connections.data?.length === 1
			? { connectionId: first.id, model: model.model || (first.default_model ?? "") }
			: model;
	const tell = useEffectEvent(() => {
		if (template === undefined) return;
		const { id, version, messages } = template;
		onDraft({
			suggestedName: template.key,
			template: id,
			version:
				chosen.connectionId === ""
					? undefined
					: {
							kind: "LLM",
							...version,
							variant: {
								connection_id: chosen.connectionId,
								...(chosen.model === "" ? {} : { model: chosen.model }),
								messages,
							},
						},
		});
	});
	useEffect(() => tell(), [template, chosen.connectionId, chosen.model]);
	return (
		<>
			<Field label={TEXTS.template} hint={template?.description}>
				<Select
					value={key}
					onChange={setKey}
					choices={templates.map((each) => ({ value: each.key, label: each.title }))}
				/>
			</Field>
			{connections.data?.length === 0 ? (
				<p className="rounded bg-warn-soft px-3 py-2">
					{TEXTS.noConnection}{" "}
					{can("admin") && (
						<Link to="/settings/models" className="text-accent underline">
							{TEXTS.addConnection}
						</Link>
					)}
				</p>
			) : (
				<ModelField
					variant={chosen}
					problems={isChecked && chosen.connectionId === "" ? { connection: TEXTS.chooseConnection } : {}}
					onChange={(part) =>
						setModel({ connectionId: part.connectionId ?? chosen.connectionId, model: part.model ?? chosen.model })
					}
				/>
			)}
			{template && (
				<>
					<section aria-label={TEXTS.outputs} className="flex flex-col gap-1">
						<h2 className="text-muted text-sm">{TEXTS.outputs}</h2>
						<OutputList outputs={template.version.outputs} />
					</section>
					<section aria-label={TEXTS.weaknesses} className="flex flex-col gap-1">
						<h2 className="text-muted text-sm">{TEXTS.weaknesses}</h2>
						<ul className="list-disc pl-5">
							{template.known_weaknesses.map((weakness) => (
								<li key={weakness}>{weakness}</li>
							))}
						</ul>
					</section>
					<section aria-label={TEXTS.prompt} className="flex flex-col gap-1">
						<h2 className="text-muted text-sm">{TEXTS.prompt}</h2>
						<JudgeMessages messages={template.messages} format="MUSTACHE" />
					</section>
				</>
			)}
		</>
	);
}
