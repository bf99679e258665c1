import { useInfiniteQuery } from "@tanstack/react-query";
import { type ReactNode, useDeferredValue, useState } from "react";
import { projectPages } from "../../../lib/projects.ts";
import { HomeChoices } from "../../../limits/home-choices.tsx";
import type { ChosenHomes, ChosenProject } from "../../../limits/permissions.ts";
import { limitsTexts } from "../../../texts/limits-en.ts";
import { settingsTexts } from "../../../texts/settings-en.ts";
import { FormError } from "../../../ui/form-error.tsx";
import { MoreRows } from "../../../ui/more-rows.tsx";

/** The places that a key reaches, chosen among the projects that the user sees, and the library. */
export function KeyHomes({
	form: { projects, library },
	among,
	hint,
	problem,
	onChange,
}: {
	form: ChosenHomes;
	/** The only ones to choose from, if not all. */
	among?: ChosenHomes | undefined;
	/** What it means that nothing is chosen. */
	hint: string;
	problem?: string | undefined;
	onChange: (change: ChosenHomes) => void;
}): ReactNode {
	const [words, setWords] = useState("");
	const asked = projectPages(useDeferredValue(words.trim()) || undefined);
	const query = useInfiniteQuery({ ...asked, enabled: among === undefined });
	const fits = ({ name }: ChosenProject) => name.toLowerCase().includes(words.trim().toLowerCase());
	const found = among ? among.projects.filter(fits) : query.data?.pages.flatMap((page) => page.data);
	return (
		<HomeChoices
			label={settingsTexts.keys.projects}
			chosen={{ projects, library }}
			found={found}
			hasLibrary={among === undefined || among.library}
			words={words}
			hint={hint}
			problem={problem}
			onSearch={setWords}
			onChange={onChange}
		>
			{among === undefined && (
				<>
					<FormError error={found === undefined ? query.error : null} />
					<MoreRows query={query} what={limitsTexts.homesMore} />
				</>
			)}
		</HomeChoices>
	);
}
