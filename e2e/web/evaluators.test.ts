import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Account, createAccount, logIn, startWithAuth } from "../access/accounts.ts";
import { browserOf, findAccessibilityViolations, launchBrowser, openPage } from "../browser.ts";
import { type ModelProvider, startModelProvider } from "../peers/model-provider.ts";
import type { TestServer } from "../server.ts";
import { sendSpans } from "./otlp-json.ts";
import { expectWellMade, overflowsSideways, tableRow } from "./pages.ts";
import { faultsOf } from "./sessions.ts";

let provider: ModelProvider;
let server: TestServer;
let browser: Browser;
let admin: Account;
let dataset: string;

beforeAll(async () => {
	provider = await startModelProvider();
	server = await startWithAuth({ SERVICE_OUTGOING_ALLOWED_HOSTS: "127.0.0.1" });
	browser = await launchBrowser();
	admin = await createAccount(server, "ADMIN");
	const client = await logIn(server, admin.email, admin.password);
	await client.data("POST", "/v1/model_connections", {
		...{ name: "stand-in", kind: "openai_compatible", base_url: provider.openai, default_model: "stand-in" },
	});
	const made = (await client.data("POST", "/v1/datasets/upload?sync=true", {
		...{ action: "create", name: "questions", inputs: [{ question: "1 + 1?" }], outputs: [{ answer: "2" }] },
	})) as { dataset_id: string };
	dataset = made.dataset_id;
});
afterAll(async () => {
	await browser.close();
	await server[Symbol.asyncDispose]();
	await provider[Symbol.asyncDispose]();
});

const open = (path: string) =>
	openPage(browserOf(browser, server, admin), `${server.url}${path}`, { colorScheme: "light" });

/** Leaves it light and wide. */
async function expectPageWellMade(page: Page, shown: string): Promise<void> {
	await expectWellMade(page, page.getByText(shown).first());
	await page.setViewportSize({ width: 1280, height: 800 });
	await page.emulateMedia({ colorScheme: "light" });
}

test("E50 E51 a judge is made from a template, tried, changed, compared and attached to a dataset", async () => {
	await using watched = await open("/evaluators");
	const { page } = watched;
	await page.getByRole("heading", { name: "No evaluator yet" }).waitFor();
	await expectPageWellMade(page, "Faithfulness");
	await page.getByRole("link", { name: /^Conciseness/ }).click();
	await page.getByRole("heading", { name: "New evaluator" }).waitFor();
	await page.getByRole("region", { name: "Known weaknesses" }).waitFor();
	await expectPageWellMade(page, "Known weaknesses");
	await page.getByRole("button", { name: "Save" }).click();

	await page.getByRole("heading", { level: 1, name: "conciseness" }).waitFor();
	const offer = page.getByRole("region", { name: "Annotation configs" });
	await offer.getByRole("button", { name: "Make one for conciseness" }).click();
	const config = page.getByRole("dialog");
	expect(await config.getByRole("textbox", { name: "Label 1", exact: true }).inputValue()).toBe("concise");
	expect(await findAccessibilityViolations(page)).toEqual([]);
	await config.getByRole("button", { name: "Create" }).click();
	await offer.getByRole("link", { name: "Choose its projects" }).waitFor();
	await page.getByLabel(/^Values of the inputs/).fill('{"question": "What is 1 + 1?", "answer": "It is 2."}');
	await page.getByRole("button", { name: "Try", exact: true }).click();
	const result = page.getByRole("region", { name: "Result" });
	await result
		.getByText(/It is 2\./)
		.first()
		.waitFor();
	const sent = (await provider.lastRequest()).json as { messages: { content: string }[] };
	const shown = (await result.getByRole("region", { name: "What the judge was sent" }).textContent()) ?? "";
	for (const { content } of sent.messages) expect(shown).toContain(content);
	await expectPageWellMade(page, "What the judge was sent");

	await page.getByRole("link", { name: "New version" }).click();
	const json = page.getByLabel("The rest of the version");
	await expectPageWellMade(page, "The rest of the version");
	const prompt = page.getByRole("textbox", { name: "Text of message 1" });
	await prompt.fill(`${await prompt.inputValue()} Be strict.`);
	const version = JSON.parse(await json.inputValue()) as object;
	await json.fill(JSON.stringify({ ...version, outputs: [] }));
	await page.getByRole("button", { name: "Save as new version" }).click();
	await page
		.getByRole("alert")
		.getByText(/^outputs/)
		.waitFor();
	await json.fill(JSON.stringify({ ...version, max_input_chars: 5000 }));
	await page.getByRole("button", { name: "Save as new version" }).click();
	await page.getByText("Version 2", { exact: true }).first().waitFor();
	await page.getByRole("tab", { name: "Versions" }).click();
	await tableRow(page, "max_input_chars").getByText("5000").waitFor();
	await tableRow(page, "variant.messages").getByText("Be strict.").waitFor();
	await expectPageWellMade(page, "max_input_chars");

	await page.goto(`${server.url}/datasets/${dataset}/evaluators`);
	await page.getByRole("button", { name: "Attach an evaluator" }).click();
	const dialog = page.getByRole("dialog");
	await dialog.getByRole("combobox").selectOption({ label: "conciseness" });
	expect(await findAccessibilityViolations(page)).toEqual([]);
	await dialog.getByRole("button", { name: "Attach an evaluator" }).click();
	await tableRow(page, "conciseness").getByText("as runs arrive").waitFor();
	await expectPageWellMade(page, "as runs arrive");
	await page.getByRole("link", { name: "conciseness" }).click();
	await page.getByRole("tab", { name: "Used by" }).click();
	await page.getByRole("link", { name: "questions" }).click();
	await page.getByRole("button", { name: "Actions for conciseness" }).click();
	await page.getByRole("menuitem", { name: "Take out" }).click();
	await dialog.getByRole("button", { name: "Take out" }).click();
	await page.getByRole("heading", { name: "No evaluator looks at this dataset's runs" }).waitFor();
	expect(faultsOf(watched)).toEqual([]);
});

test("rules and functions are made with their own fields, and code that cannot be run is refused with its line", async () => {
	await using watched = await open("/evaluators?create=1");
	const { page } = watched;
	await page.getByRole("button", { name: "A fixed rule" }).click();
	await page.getByLabel("Rule").selectOption({ label: "Regular expression" });
	await page.getByLabel(/^pattern/).fill("^It is");
	await page.getByRole("button", { name: "Save" }).click();
	await page.getByLabel(/^Values of the inputs/).fill('{"output": "It is 2."}');
	await page.getByRole("button", { name: "Try", exact: true }).click();
	await page.getByRole("region", { name: "Result" }).getByText("pass", { exact: true }).waitFor();

	await page.goto(`${server.url}/evaluators?create=1`);
	await page.getByRole("button", { name: "A function" }).click();
	const source = await page.getByLabel(/^Source/).inputValue();
	await page.getByLabel(/^Source/).fill("\tlet a;");
	await page.getByLabel(/^Source/).press("Control+End");
	await page.keyboard.press("Enter");
	expect(await page.getByLabel(/^Source/).inputValue()).toBe("\tlet a;\n\t");
	await page.keyboard.press("Control+z");
	expect(await page.getByLabel(/^Source/).inputValue()).toBe("\tlet a;");
	await page.getByLabel(/^Source/).fill(`${source}}`);
	await page.getByRole("button", { name: "Save" }).click();
	await page
		.getByRole("alert")
		.getByText(/^source: .*line/)
		.waitFor();
	await page.getByLabel(/^Source/).fill(source);
	await page.getByRole("button", { name: "Save" }).click();
	await page.getByLabel(/^Values of the inputs/).fill('{"output_text": "It is 2."}');
	await page.getByRole("button", { name: "Try", exact: true }).click();
	await page.getByRole("region", { name: "Result" }).getByText("3 words").waitFor();
	await page.getByRole("button", { name: "Edit", exact: true }).click();
	const edit = page.getByRole("dialog");
	await edit.getByRole("textbox", { name: "Name" }).fill("regex");
	await edit.getByRole("button", { name: "Save" }).click();
	await edit.getByRole("alert").waitFor();
	await edit.getByRole("textbox", { name: "Name" }).fill("brief");
	await edit.getByRole("button", { name: "Save" }).click();
	await page.getByRole("heading", { level: 1, name: "brief" }).waitFor();
	await page.waitForURL("**/evaluators/brief*");
	await page.getByRole("button", { name: "Archive" }).click();
	await page.getByRole("dialog").getByRole("button", { name: "Archive" }).click();
	await page.getByRole("button", { name: "Restore" }).waitFor();
	await page.goto(`${server.url}/evaluators?archived=1`);
	await tableRow(page, "brief").waitFor();
	expect(faultsOf(watched)).toEqual([]);
});

test("a span, its trace and its session are evaluated where they are shown, by those who may write there", async () => {
	const traceId = "e".repeat(32);
	const attributes = { "session.id": "talk", "output.value": "It is sunny." };
	const client = await logIn(server, admin.email, admin.password);
	const headers = { cookie: [...client.cookies].map(([name, value]) => `${name}=${value}`).join("; ") };
	const span = { traceId, spanId: "e".repeat(16), name: "answer", startMs: 0, endMs: 1, attributes };
	await sendSpans({ url: server.url, headers }, [span]);
	const version = { kind: "BUILT_IN", builtin: { key: "contains", parameters: { texts: ["sunny"] } } };
	const output = (path: string) => ({ output: { path } });
	const mapping = {
		...{ span: output("output_text"), trace: output("output_text") },
		session: output("last_output"),
	};
	await client.data("POST", "/v1/evaluators", { name: "says-sunny", version: { ...version, mapping } });
	await client.data("POST", "/v1/evaluators", {
		name: "says-nothing-of-spans",
		version: {
			...{ kind: "CODE", language: "javascript", source: "function evaluate({ said }) { return said.length; }" },
			...{ inputs: [{ name: "said" }], outputs: [{ name: "size", type: "score" }] },
		},
	});

	await using watched = await open(`/p/default/traces/${traceId}`);
	const { page } = watched;
	const dialog = page.getByRole("dialog");
	const evaluate = async (button: string, evaluator: string) => {
		await page.getByRole("button", { name: button, exact: true }).click();
		await dialog.getByRole("combobox").selectOption({ label: evaluator });
	};
	const annotated = async () => {
		await dialog.getByRole("button", { name: "Evaluate", exact: true }).click();
		await dialog.getByRole("status").getByText("Annotated.").waitFor();
		await page.keyboard.press("Escape");
	};
	await evaluate("Evaluate", "says-sunny – built-in");
	await annotated();
	const chips = page.getByRole("button", { name: /^1 annotation: contains pass/ });
	await chips.waitFor();
	await page.reload();
	await evaluate("Evaluate the trace", "says-sunny – built-in");
	await annotated();
	await expect.poll(() => chips.count()).toBe(2);

	await evaluate("Evaluate", "says-nothing-of-spans – code");
	await dialog.getByRole("textbox", { name: "said" }).fill("output_text");
	await dialog.getByRole("checkbox", { name: /^Annotate/ }).uncheck();
	await dialog.getByRole("button", { name: "Evaluate", exact: true }).press("Enter");
	await dialog.getByRole("region", { name: "Result" }).getByText("12", { exact: true }).waitFor();
	expect(await findAccessibilityViolations(page)).toEqual([]);
	await page.setViewportSize({ width: 390, height: 800 });
	await page.emulateMedia({ colorScheme: "dark" });
	await expect.poll(() => findAccessibilityViolations(page)).toEqual([]);
	expect(await overflowsSideways(page)).toBe(false);

	await page.goto(`${server.url}/p/default/sessions/talk`);
	await evaluate("Evaluate", "says-sunny – built-in");
	await annotated();
	await chips.waitFor();
	expect(faultsOf(watched)).toEqual([]);

	const viewer = await createAccount(server, "VIEWER");
	await using read = await openPage(browserOf(browser, server, viewer), `${server.url}/p/default/sessions/talk`);
	await read.page.getByRole("button", { name: /^1 annotation: contains pass/ }).waitFor();
	expect(await read.page.getByRole("button", { name: "Evaluate" }).count()).toBe(0);
});
