import { useInfiniteQuery } from "@tanstack/react-query";
import ChevronsUpDown from "lucide-react/icons/chevrons-up-down";
import { type ReactNode, useDeferredValue, useState } from "react";
import { projectPages } from "../lib/projects.ts";
import { analyticsTexts } from "../texts/analytics-en.ts";
import { texts } from "../texts/en.ts";
import { Button } from "../ui/button.tsx";
import { buttonClass } from "../ui/button-class.ts";
import { FormError } from "../ui/form-error.tsx";
import { SearchInput } from "../ui/input.tsx";
import { Popover } from "../ui/popover.tsx";

const TEXTS = analyticsTexts.form;
/** Of one question. */
const MOST = 50;

/** The projects that a question is about, by name; none are all. */
export function ProjectPicker({
	projects,
	onChange,
}: {
	projects: readonly string[];
	onChange: (projects: readonly string[]) => void;
}): ReactNode {
	return (
		<Popover
			label={TEXTS.projects}
			className="w-72"
			trigger={
				<button type="button" className={buttonClass("plain", "min-w-0 max-w-64 shrink")}>
					<span className="sr-only">{TEXTS.projects}</span>
					<span className="truncate">{projects.length === 0 ? TEXTS.allProjects : projects.join(", ")}</span>
					<ChevronsUpDown size={14} aria-hidden className="shrink-0 text-muted" />
				</button>
			}
		>
			<ProjectChoices projects={projects} onChange={onChange} />
		</Popover>
	);
}

function ProjectChoices({
	projects,
	onChange,
}: {
	projects: readonly string[];
	onChange: (projects: readonly string[]) => void;
}): ReactNode {
	const [words, setWords] = useState("");
	const { data, error } = useInfiniteQuery(projectPages(useDeferredValue(words.trim()) || undefined));
	const found = data?.pages.flatMap((page) => page.data.map(({ name }) => name)) ?? [];
	const shown = [...projects, ...found.filter((name) => !projects.includes(name))];
	return (
		<div className="flex flex-col gap-2">
			<SearchInput
				label={texts.nav.findProject}
				placeholder={texts.nav.findProject}
				value={words}
				onChange={(event) => setWords(event.target.value)}
				boxClassName="w-full"
			/>
			<FormError error={error} />
			<fieldset className="max-h-72 overflow-auto">
				<legend className="sr-only">{TEXTS.projects}</legend>
				{shown.map((name) => {
					const isChosen = projects.includes(name);
					return (
						<label
							key={name}
							className="flex min-h-7 items-center gap-2 rounded px-1 hover:bg-hover pointer-coarse:min-h-11"
						>
							<input
								type="checkbox"
								checked={isChosen}
								disabled={!isChosen && projects.length >= MOST}
								onChange={() => onChange(isChosen ? projects.filter((each) => each !== name) : [...projects, name])}
							/>
							<span className="truncate">{name}</span>
						</label>
					);
				})}
				{data && shown.length === 0 && <p className="text-muted">{texts.nav.noProject}</p>}
			</fieldset>
			<Button disabled={projects.length === 0} onClick={() => onChange([])}>
				{TEXTS.allProjects}
			</Button>
		</div>
	);
}
