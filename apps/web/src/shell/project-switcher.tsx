import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import ChevronsUpDown from "lucide-react/icons/chevrons-up-down";
import { type ReactNode, useDeferredValue, useState } from "react";
import { projectSlug } from "../lib/project-slug.ts";
import { projectPages, projectQuery } from "../lib/projects.ts";
import { texts } from "../texts/en.ts";
import { buttonClass } from "../ui/button-class.ts";
import { classNames } from "../ui/class-names.ts";
import { SearchInput } from "../ui/input.tsx";
import { Popover } from "../ui/popover.tsx";
import { RestrictedLock } from "../ui/restricted-lock.tsx";

/** The name of the project, which opens the list of the others. */
export function ProjectSwitcher({ project }: { project: string | undefined }): ReactNode {
	const [open, setOpen] = useState(false);
	const { data } = useQuery({ ...projectQuery(project ?? ""), enabled: project !== undefined });
	if (project === undefined) {
		return <span className="truncate px-1 font-semibold">{texts.app}</span>;
	}
	return (
		<Popover
			label={texts.nav.switchProject}
			open={open}
			onOpenChange={setOpen}
			className="w-72 p-1"
			trigger={
				<button type="button" className={buttonClass("quiet", "min-w-0 max-w-56 shrink font-semibold")}>
					<span className="sr-only">{texts.nav.project}</span>
					<span className="truncate">{data?.name ?? project}</span>
					<RestrictedLock access={data?.access} />
					<ChevronsUpDown size={14} aria-hidden className="shrink-0 text-muted" />
				</button>
			}
		>
			<ProjectList current={data?.id} onChosen={() => setOpen(false)} />
		</Popover>
	);
}

function ProjectList({ current, onChosen }: { current: string | undefined; onChosen: () => void }): ReactNode {
	const [words, setWords] = useState("");
	const { data } = useInfiniteQuery(projectPages(useDeferredValue(words.trim()) || undefined));
	const projects = data?.pages.flatMap((page) => page.data) ?? [];
	const row = "flex h-7 items-center gap-1.5 rounded px-2 hover:bg-hover";
	return (
		<div className="flex flex-col gap-1">
			<SearchInput
				label={texts.nav.findProject}
				placeholder={texts.nav.findProject}
				value={words}
				onChange={(event) => setWords(event.target.value)}
				boxClassName="w-full"
			/>
			<ul className="max-h-72 overflow-auto">
				{projects.map((each) => (
					<li key={each.id}>
						<Link
							to="/p/$project/traces"
							params={{ project: projectSlug(each) }}
							onClick={onChosen}
							className={classNames(row, each.id === current && "bg-accent-soft text-accent")}
						>
							<span className="truncate">{each.name}</span>
							<RestrictedLock access={each.access} />
						</Link>
					</li>
				))}
				{data && projects.length === 0 && <li className="px-2 py-1 text-muted">{texts.nav.noProject}</li>}
			</ul>
			<Link to="/" onClick={onChosen} className={classNames(row, "border-line border-t text-muted")}>
				{texts.nav.allProjects}
			</Link>
		</div>
	);
}
