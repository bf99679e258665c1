import type { ReactNode } from "react";
import { TopBar } from "../../shell/top-bar.tsx";
import { texts } from "../../texts/en.ts";

export function PromptPage(): ReactNode {
	return (
		<>
			<TopBar />
			<main id="content" tabIndex={-1} className="min-h-0 flex-1 overflow-auto outline-none">
				<h1 className="px-4 pt-4 font-semibold text-xl">{texts.nav.prompts}</h1>
			</main>
		</>
	);
}
