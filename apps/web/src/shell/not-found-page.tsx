import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { texts } from "../texts/en.ts";
import { buttonClass } from "../ui/button-class.ts";
import { TopBar } from "./top-bar.tsx";

export function NotFoundPage(): ReactNode {
	return (
		<>
			<TopBar />
			<main id="content" tabIndex={-1} className="flex flex-col items-center gap-2 p-12 text-center outline-none">
				<h1 className="font-semibold text-xl">{texts.error.notFound}</h1>
				<p className="text-muted">{texts.error.notFoundText}</p>
				<Link to="/" className={buttonClass("primary", "mt-2")}>
					{texts.error.back}
				</Link>
			</main>
		</>
	);
}
