import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { type ReactNode, type SyntheticEvent, useState } from "react";
import { api } from "../../lib/api.ts";
import { projectSlug } from "../../lib/project-slug.ts";
import { texts } from "../../texts/en.ts";
import { projectsTexts } from "../../texts/projects-en.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { errorText } from "../../ui/error-state.tsx";
import { Field, Input } from "../../ui/input.tsx";

export function CreateProjectDialog({ onClose }: { onClose: () => void }): ReactNode {
	const [name, setName] = useState("");
	const [description, setDescription] = useState("");
	const [missing, setMissing] = useState(false);
	const navigate = useNavigate();
	const queries = useQueryClient();
	const create = useMutation({
		mutationFn: () =>
			api.post("/v1/projects", {
				body: { name: name.trim(), ...(description.trim() ? { description: description.trim() } : {}) },
			}),
		onSuccess: async ({ data }) => {
			await queries.invalidateQueries({ queryKey: ["projects"] });
			await navigate({ to: "/p/$project/traces", params: { project: projectSlug(data) } });
		},
	});
	const submit = (event: SyntheticEvent) => {
		event.preventDefault();
		setMissing(name.trim() === "");
		if (name.trim() !== "") create.mutate();
	};
	const problem = missing ? projectsTexts.nameMissing : create.error ? errorText(create.error).message : undefined;
	return (
		<Dialog open onOpenChange={onClose} title={projectsTexts.createTitle}>
			<form onSubmit={submit} className="flex flex-col gap-3 p-4">
				<Field label={projectsTexts.name} hint={projectsTexts.nameHint} error={problem}>
					<Input
						value={name}
						onChange={(event) => setName(event.target.value)}
						aria-invalid={problem !== undefined}
						maxLength={255}
					/>
				</Field>
				<Field label={projectsTexts.description}>
					<Input value={description} onChange={(event) => setDescription(event.target.value)} maxLength={10_000} />
				</Field>
				<div className="flex justify-end gap-2">
					<Button onClick={onClose}>{texts.action.cancel}</Button>
					<Button type="submit" look="primary" disabled={create.isPending}>
						{texts.action.create}
					</Button>
				</div>
			</form>
		</Dialog>
	);
}
