import { type ReactNode, useEffect, useState } from "react";
import { type FoundProject, HomeChoices } from "../../limits/home-choices.tsx";
import type { ChosenHomes } from "../../limits/permissions.ts";
import { programsTexts as TEXTS } from "../../texts/programs-en.ts";
import { buttonClass } from "../../ui/button-class.ts";
import type { Refusal } from "../requests.ts";
import { ask } from "./asked-access.ts";

interface ProjectPage {
	readonly data: readonly FoundProject[];
	readonly next_cursor: string | null;
}

interface Found {
	readonly projects: readonly FoundProject[];
	readonly next: string | null;
}

const TYPING_MS = 200;

async function fetchProjects(words: string, cursor: string | null) {
	const search = new URLSearchParams({ limit: "50", include: "access" });
	if (words !== "") search.set("name_contains", words);
	if (cursor !== null) search.set("cursor", cursor);
	return await ask<ProjectPage>("GET", `/v1/projects?${search}`);
}

/** The places that a program reaches, chosen among the projects that the user sees, and the library. */
export function ProgramHomes({
	chosen,
	problem,
	onChange,
}: {
	chosen: ChosenHomes;
	problem: string | undefined;
	onChange: (change: ChosenHomes) => void;
}): ReactNode {
	const [words, setWords] = useState("");
	const [found, setFound] = useState<Found>();
	const [refusal, setRefusal] = useState<Refusal>();
	const asked = words.trim();
	useEffect(() => {
		let isCurrent = true;
		const timer = setTimeout(
			async () => {
				const answer = await fetchProjects(asked, null);
				if (!isCurrent) return;
				if ("refusal" in answer) return setRefusal(answer.refusal);
				setRefusal(undefined);
				setFound({ projects: answer.data.data, next: answer.data.next_cursor });
			},
			asked === "" ? 0 : TYPING_MS,
		);
		return () => {
			isCurrent = false;
			clearTimeout(timer);
		};
	}, [asked]);
	const loadMore = async () => {
		if (found === undefined) return;
		const answer = await fetchProjects(asked, found.next);
		if ("refusal" in answer) return setRefusal(answer.refusal);
		// Other words were typed meanwhile.
		setFound((now) =>
			now === found ? { projects: [...found.projects, ...answer.data.data], next: answer.data.next_cursor } : now,
		);
	};
	return (
		<HomeChoices
			label={TEXTS.homes}
			chosen={chosen}
			found={found?.projects}
			hasLibrary
			words={words}
			problem={problem}
			onSearch={setWords}
			onChange={onChange}
		>
			{refusal && (
				<p role="alert" className="px-2 text-danger">
					{TEXTS.homesFailed} {refusal.text}
				</p>
			)}
			{found !== undefined && found.next !== null && (
				<button type="button" onClick={() => void loadMore()} className={buttonClass("quiet", "self-center")}>
					{TEXTS.more}
				</button>
			)}
		</HomeChoices>
	);
}
