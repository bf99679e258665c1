import type { AccessChangeInput as AccessChange, AccessPreview, Project } from "@spanward/client";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, type SyntheticEvent, useState } from "react";
import { findTyped, type ProjectRole, ROLE_CHOICES, toBody } from "../../homes/access-queries.ts";
import { Losing } from "../../homes/losing.tsx";
import { api } from "../../lib/api.ts";
import { accessTexts } from "../../texts/access-en.ts";
import { texts } from "../../texts/en.ts";
import { projectAccessTexts as TEXTS } from "../../texts/project-access-en.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { FormError } from "../../ui/form-error.tsx";
import { Field, Input } from "../../ui/input.tsx";
import { Select } from "../../ui/select.tsx";

/** Projects that one preview looks at. */
const PREVIEWED = 100;

interface Previewed {
	readonly change: AccessChange;
	readonly previews: readonly AccessPreview[];
}

/** Makes the same change of access in several projects: asks what, says who would lose them, then what became of each. */
export function AccessDialog({
	projects,
	onClose,
}: {
	projects: readonly Pick<Project, "id" | "name">[];
	onClose: () => void;
}): ReactNode {
	const queries = useQueryClient();
	const [access, setAccess] = useState<"keep" | "open" | "restricted">("keep");
	const [given, setGiven] = useState("");
	const [role, setRole] = useState<ProjectRole>("editor");
	const [taken, setTaken] = useState("");
	const ids = projects.map(({ id }) => id);
	const nameOf = (id: string) => projects.find((project) => project.id === id)?.name ?? id;
	const preview = useMutation({
		mutationFn: async (): Promise<Previewed> => {
			const [added, removed] = [await find(given), await find(taken)];
			const change = {
				...(access === "keep" ? {} : { access }),
				...(added === undefined ? {} : { set: [{ subject: toBody(added), role }] }),
				...(removed === undefined ? {} : { remove: [toBody(removed)] }),
			};
			const previews: AccessPreview[] = [];
			for (let start = 0; start < ids.length; start += PREVIEWED) {
				const body = { projects: ids.slice(start, start + PREVIEWED), change };
				previews.push(...(await api.post("/v1/access/batch/preview", { body })).data);
			}
			return { change, previews };
		},
	});
	const save = useMutation({
		mutationFn: async (change: AccessChange) =>
			(await api.post("/v1/access/batch", { body: { projects: ids, change } })).data,
		onSuccess: async () => {
			await queries.invalidateQueries({ queryKey: ["access"] });
			await queries.invalidateQueries({ queryKey: ["projects"] });
		},
	});
	const isNothing = access === "keep" && given.trim() === "" && taken.trim() === "";
	const submit = (event: SyntheticEvent) => {
		event.preventDefault();
		if (!isNothing) preview.mutate();
	};
	const title = TEXTS.title(projects.length);
	if (save.data) {
		return (
			<Dialog open onOpenChange={onClose} title={title}>
				<div className="flex flex-col gap-3 overflow-auto p-4" role="status">
					<ul aria-label={TEXTS.results} className="flex flex-col border-line border-t">
						{save.data.map(({ project, outcome, message }) => (
							<li key={project} className="border-line border-b py-1.5 [overflow-wrap:anywhere]">
								<span className="font-medium">{nameOf(project)}</span>: {TEXTS.outcome[outcome]}
								{message && <span className="block text-danger text-sm">{message}</span>}
							</li>
						))}
					</ul>
					<Button look="primary" className="self-end" onClick={onClose}>
						{texts.action.close}
					</Button>
				</div>
			</Dialog>
		);
	}
	if (preview.data) {
		const { change, previews } = preview.data;
		return (
			<Dialog open onOpenChange={onClose} title={title}>
				<div className="flex flex-col gap-3 overflow-auto p-4">
					<ul aria-label={TEXTS.effects} className="flex flex-col border-line border-t">
						{previews.map(({ project, effects, refused }) => (
							<li key={project} className="border-line border-b py-1.5">
								<h3 className="font-medium [overflow-wrap:anywhere]">{nameOf(project)}</h3>
								{effects ? <Losing effects={effects} /> : <p className="text-danger">{refused?.message}</p>}
							</li>
						))}
					</ul>
					<FormError error={save.error} />
					<div className="flex justify-end gap-2" data-first>
						<Button onClick={() => preview.reset()}>{TEXTS.back}</Button>
						<Button look="primary" disabled={save.isPending} onClick={() => save.mutate(change)}>
							{TEXTS.apply(projects.length)}
						</Button>
					</div>
				</div>
			</Dialog>
		);
	}
	return (
		<Dialog open onOpenChange={onClose} title={title}>
			<form onSubmit={submit} className="flex flex-col gap-3 overflow-auto p-4">
				<p className="text-muted [overflow-wrap:anywhere]">{projects.map(({ name }) => name).join(", ")}</p>
				<Field label={TEXTS.access}>
					<Select
						value={access}
						onChange={setAccess}
						choices={(["keep", "restricted", "open"] as const).map((value) => ({
							value,
							label: TEXTS.accessChoice[value],
						}))}
					/>
				</Field>
				<Field label={TEXTS.give} hint={accessTexts.addHint}>
					<Input value={given} maxLength={1_000} onChange={(event) => setGiven(event.target.value)} />
				</Field>
				<Field label={accessTexts.addRole} hint={accessTexts.roleText[role]}>
					<Select value={role} onChange={setRole} choices={ROLE_CHOICES} />
				</Field>
				<Field label={TEXTS.take} hint={TEXTS.takeHint}>
					<Input value={taken} maxLength={1_000} onChange={(event) => setTaken(event.target.value)} />
				</Field>
				<FormError error={preview.error} />
				<div className="flex justify-end gap-2">
					<Button onClick={onClose}>{texts.action.cancel}</Button>
					<Button type="submit" look="primary" disabled={preview.isPending || isNothing}>
						{TEXTS.next}
					</Button>
				</div>
			</form>
		</Dialog>
	);
}

async function find(typed: string) {
	if (typed.trim() === "") return undefined;
	const subject = await findTyped(typed);
	if (subject === undefined) throw new Error(`${typed.trim()}: ${accessTexts.nobodyFound}`);
	return subject;
}
