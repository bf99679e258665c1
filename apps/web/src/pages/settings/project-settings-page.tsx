import type { Project } from "@spanward/client";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { type ReactNode, type SyntheticEvent, useState } from "react";
import { api } from "../../lib/api.ts";
import { config } from "../../lib/config.ts";
import { useCan } from "../../lib/me.ts";
import { usePageTitle } from "../../lib/page-title.ts";
import { useMayIn } from "../../lib/project-role.ts";
import { projectQuery } from "../../lib/projects.ts";
import { accessTexts } from "../../texts/access-en.ts";
import { texts } from "../../texts/en.ts";
import { Button } from "../../ui/button.tsx";
import { CopyId } from "../../ui/copy-button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { errorText } from "../../ui/error-state.tsx";
import { Field, Input } from "../../ui/input.tsx";
import { SkeletonRows } from "../../ui/skeleton.tsx";
import { ConfigsSection } from "./project/configs-section.tsx";
import { CostsSection } from "./project/costs-section.tsx";
import { ErrorsSection } from "./project/errors-section.tsx";
import { RetentionSection } from "./project/retention-section.tsx";
import { SettingsPart } from "./project/settings-part.tsx";

const route = getRouteApi("/p/$project/settings");
const TEXTS = texts.projectSettings;
const DEFAULT_PROJECT = "default";

export function ProjectSettingsPage(): ReactNode {
	const { project } = route.useParams();
	const { data } = useQuery(projectQuery(project));
	const can = useCan();
	const mayIn = useMayIn(project);
	usePageTitle(TEXTS.title, data?.name ?? project);
	return (
		<div className="min-h-0 flex-1 overflow-auto">
			<div className="mx-auto flex max-w-2xl flex-col gap-8 p-4">
				<h1 className="font-semibold text-xl">{TEXTS.title}</h1>
				{data && (can("admin") ? <General key={data.id} project={data} /> : <ReadOnly project={data} />)}
				{data && (
					<>
						{config.auth.enabled && (
							<SettingsPart title={accessTexts.title} text={accessTexts.linkText}>
								<Link
									to="/p/$project/settings/access"
									params={{ project }}
									className="self-start text-accent hover:underline"
								>
									{accessTexts.open}
								</Link>
							</SettingsPart>
						)}
						<ConfigsSection project={data} mayChange={mayIn("editor")} />
						<RetentionSection project={data} />
						<CostsSection project={data} />
						<ErrorsSection project={data} />
					</>
				)}
				{data && can("admin") && <Removal project={data} />}
				{!data && <SkeletonRows rows={5} />}
			</div>
		</div>
	);
}

/** For users without the right to change the project. */
function ReadOnly({ project }: { project: Project }): ReactNode {
	return (
		<section aria-label={TEXTS.general} className="flex flex-col gap-3">
			<Facts project={project}>
				<dt className="text-muted">{TEXTS.description}</dt>
				<dd>{project.description || texts.state.unknown}</dd>
			</Facts>
			<p className="text-muted">{TEXTS.readOnly}</p>
		</section>
	);
}

function Facts({ project, children }: { project: Project; children?: ReactNode }): ReactNode {
	return (
		<dl className="grid grid-cols-[8rem_1fr] items-center gap-y-1">
			<dt className="text-muted">{TEXTS.name}</dt>
			<dd>{project.name}</dd>
			<dt className="text-muted">{TEXTS.id}</dt>
			<dd>
				<CopyId id={project.id} name={TEXTS.id} length={40} className="-ml-1" />
			</dd>
			{children}
		</dl>
	);
}

function General({ project }: { project: Project }): ReactNode {
	const queries = useQueryClient();
	const [description, setDescription] = useState(project.description ?? "");
	const update = useMutation({
		mutationFn: () =>
			api.put("/v1/projects/{project_identifier}", { path: { project_identifier: project.id }, body: { description } }),
		onSuccess: async () => {
			await queries.invalidateQueries({ queryKey: ["project"] });
			await queries.invalidateQueries({ queryKey: ["projects"] });
		},
	});
	const submit = (event: SyntheticEvent) => {
		event.preventDefault();
		update.mutate();
	};
	return (
		<section aria-label={TEXTS.general}>
			<form onSubmit={submit} className="flex flex-col gap-3">
				<Facts project={project} />
				<Field
					label={TEXTS.description}
					hint={TEXTS.descriptionHint}
					error={update.error ? errorText(update.error).message : undefined}
				>
					<Input value={description} onChange={(event) => setDescription(event.target.value)} maxLength={10_000} />
				</Field>
				<div className="flex items-center gap-3">
					<Button
						type="submit"
						look="primary"
						disabled={update.isPending || description === (project.description ?? "")}
					>
						{texts.action.save}
					</Button>
					<span role="status" className="text-muted">
						{update.isSuccess && description === (project.description ?? "") && texts.state.saved}
					</span>
				</div>
			</form>
		</section>
	);
}

function Removal({ project }: { project: Project }): ReactNode {
	const [asking, setAsking] = useState(false);
	const isDefault = project.name === DEFAULT_PROJECT;
	return (
		<section aria-label={TEXTS.danger} className="flex flex-col gap-2 border-line border-t pt-4">
			<h2 className="font-semibold">{TEXTS.danger}</h2>
			<p className="text-muted">{isDefault ? TEXTS.deleteDefault : TEXTS.deleteText}</p>
			{!isDefault && (
				<Button look="danger" className="self-start" onClick={() => setAsking(true)}>
					{TEXTS.deleteButton}
				</Button>
			)}
			{asking && <DeleteDialog project={project} onClose={() => setAsking(false)} />}
		</section>
	);
}

function DeleteDialog({ project, onClose }: { project: Project; onClose: () => void }): ReactNode {
	const queries = useQueryClient();
	const navigate = route.useNavigate();
	const [typed, setTyped] = useState("");
	const remove = useMutation({
		mutationFn: () => api.delete("/v1/projects/{project_identifier}", { path: { project_identifier: project.id } }),
		onSuccess: async () => {
			queries.removeQueries({ queryKey: ["projects"] });
			await navigate({ to: "/" });
			queries.removeQueries({ type: "inactive" });
		},
	});
	const submit = (event: SyntheticEvent) => {
		event.preventDefault();
		if (typed === project.name) remove.mutate();
	};
	return (
		<Dialog open onOpenChange={onClose} title={TEXTS.deleteTitle(project.name)}>
			<form onSubmit={submit} className="flex flex-col gap-3 p-4">
				<p>{TEXTS.deleteText}</p>
				<Field
					label={TEXTS.deleteConfirm(project.name)}
					error={remove.error ? errorText(remove.error).message : undefined}
				>
					<Input value={typed} onChange={(event) => setTyped(event.target.value)} />
				</Field>
				<div className="flex justify-end gap-2">
					<Button onClick={onClose}>{texts.action.cancel}</Button>
					<Button type="submit" look="danger" disabled={typed !== project.name || remove.isPending}>
						{TEXTS.deleteButton}
					</Button>
				</div>
			</form>
		</Dialog>
	);
}
