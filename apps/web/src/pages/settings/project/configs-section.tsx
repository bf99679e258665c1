import type { Project } from "@spanward/client";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import Plus from "lucide-react/icons/plus";
import X from "lucide-react/icons/x";
import type { ReactNode } from "react";
import { assignConfig } from "../../../annotating/assign.ts";
import { configsQuery, projectConfigsQuery } from "../../../annotating/queries.ts";
import { annotatingTexts } from "../../../texts/annotating-en.ts";
import { dataSettingsTexts } from "../../../texts/data-settings-en.ts";
import { Button, IconButton } from "../../../ui/button.tsx";
import { FormError } from "../../../ui/form-error.tsx";
import { Loaded } from "../../../ui/listed.tsx";
import { Menu, MenuItem } from "../../../ui/menu.tsx";
import { SettingsPart } from "./settings-part.tsx";

const TEXTS = dataSettingsTexts.project;

/** The annotation configs that are assigned to the project. */
export function ConfigsSection({ project, mayChange }: { project: Project; mayChange: boolean }): ReactNode {
	const queries = useQueryClient();
	const all = useQuery(configsQuery);
	const assigned = useQuery(projectConfigsQuery(project.id));
	const change = useMutation({
		mutationFn: ({ id, isAssigned }: { id: string; isAssigned: boolean }) => assignConfig(project.id, id, isAssigned),
		onSuccess: () => queries.invalidateQueries({ queryKey: ["annotation-configs"] }),
	});
	return (
		<SettingsPart title={TEXTS.configs} text={TEXTS.configsText}>
			<Loaded data={assigned.data} query={assigned}>
				{(configs) => {
					const others = all.data?.filter(({ id }) => configs.every((each) => each.id !== id)) ?? [];
					return (
						<>
							{configs.length === 0 && <p>{TEXTS.noConfigs}</p>}
							<ul className="flex flex-col">
								{configs.map(({ id, name, type }) => (
									<li key={id} className="flex h-8 items-center gap-3 border-line border-b">
										<span className="min-w-0 truncate font-medium">{name}</span>
										<span className="text-muted">{annotatingTexts.config.kinds[type]}</span>
										{mayChange && (
											<IconButton
												label={TEXTS.removeConfig(name)}
												disabled={change.isPending}
												onClick={() => change.mutate({ id, isAssigned: false })}
												className="ml-auto"
											>
												<X size={14} aria-hidden />
											</IconButton>
										)}
									</li>
								))}
							</ul>
							<div className="flex flex-wrap items-center gap-3">
								{mayChange && others.length > 0 && (
									<Menu
										trigger={
											<Button disabled={change.isPending}>
												<Plus size={14} aria-hidden />
												{TEXTS.addConfig}
											</Button>
										}
									>
										{others.map(({ id, name }) => (
											<MenuItem key={id} onClick={() => change.mutate({ id, isAssigned: true })}>
												{name}
											</MenuItem>
										))}
									</Menu>
								)}
								<Link to="/settings/annotation-configs" className="text-accent hover:underline">
									{TEXTS.manage}
								</Link>
							</div>
							<FormError error={change.error} />
						</>
					);
				}}
			</Loaded>
		</SettingsPart>
	);
}
