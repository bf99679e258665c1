import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { keepTokensFresh } from "../../auth/keep-tokens-fresh.ts";
import { followSession } from "../../auth/session-end.ts";
import type { ProgramPage } from "../../auth/sign-in-path.ts";
import { ConsentPage } from "./consent-page.tsx";
import { DevicePage } from "./device-page.tsx";

/** Draws a page on which somebody lets a program act for them. */
export function renderProgramPage(element: HTMLElement, page: ProgramPage): void {
	followSession();
	keepTokensFresh();
	createRoot(element).render(<StrictMode>{page === "device" ? <DevicePage /> : <ConsentPage />}</StrictMode>);
}
