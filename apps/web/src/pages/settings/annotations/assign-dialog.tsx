import type { Project } from "@spanward/client";
import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useDeferredValue, useState } from "react";
import { assignConfig } from "../../../annotating/assign.ts";
import { projectConfigsQuery } from "../../../annotating/queries.ts";
import type { AnnotationConfig } from "../../../annotating/types.ts";
import { projectPages } from "../../../lib/projects.ts";
import { dataSettingsTexts } from "../../../texts/data-settings-en.ts";
import { Dialog } from "../../../ui/dialog.tsx";
import { FormError } from "../../../ui/form-error.tsx";
import { SearchInput } from "../../../ui/input.tsx";
import { Loaded } from "../../../ui/listed.tsx";
import { MoreRows } from "../../../ui/more-rows.tsx";

const TEXTS = dataSettingsTexts.configs;

/** Chooses the projects that a config is assigned to. */
export function AssignDialog({ config, onClose }: { config: AnnotationConfig; onClose: () => void }): ReactNode {
	const [words, setWords] = useState("");
	const query = useInfiniteQuery(projectPages(useDeferredValue(words.trim()) || undefined));
	return (
		<Dialog open onOpenChange={onClose} title={TEXTS.projectsTitle(config.name)}>
			<div className="flex min-h-0 flex-col gap-3 overflow-auto p-4">
				<p className="text-muted">{TEXTS.projectsText}</p>
				<SearchInput
					label={TEXTS.findProject}
					placeholder={TEXTS.findProject}
					value={words}
					onChange={(event) => setWords(event.target.value)}
				/>
				<Loaded data={query.data} query={query}>
					{(data) => (
						<>
							<ul className="flex flex-col">
								{data.pages
									.flatMap((page) => page.data)
									.map((project) => (
										<ProjectItem key={project.id} project={project} config={config} />
									))}
							</ul>
							<MoreRows query={query} what={TEXTS.moreProjects} />
						</>
					)}
				</Loaded>
			</div>
		</Dialog>
	);
}

function ProjectItem({ project, config }: { project: Project; config: AnnotationConfig }): ReactNode {
	const queries = useQueryClient();
	const { data, error } = useQuery(projectConfigsQuery(project.id));
	const isAssigned = data?.some(({ id }) => id === config.id) ?? false;
	const change = useMutation({
		mutationFn: (next: boolean) => assignConfig(project.id, config.id, next),
		onSuccess: () => queries.invalidateQueries({ queryKey: ["annotation-configs"] }),
	});
	return (
		<li>
			<label className="flex min-h-8 cursor-pointer items-center gap-2 rounded px-1 hover:bg-hover">
				<input
					type="checkbox"
					aria-label={TEXTS.assign(project.name)}
					checked={change.isPending ? change.variables : isAssigned}
					disabled={data === undefined}
					onChange={(event) => change.mutate(event.target.checked)}
				/>
				<span className="truncate">{project.name}</span>
			</label>
			<FormError error={change.error ?? error} />
		</li>
	);
}
