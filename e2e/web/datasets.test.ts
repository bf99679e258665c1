import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createAccount, logInAs, startWithAuth } from "../access/accounts.ts";
import { browserOf, findAccessibilityViolations, launchBrowser, openPage } from "../browser.ts";
import { readExpected, replay } from "../fixture-sources.ts";
import { startServer, type TestServer } from "../server.ts";
import { createQuestions, QUESTIONS, send } from "./dataset-data.ts";
import { listRows, tableRow } from "./pages.ts";
import { faultsOf } from "./sessions.ts";

const TRIP = "py-phoenix-otel-http";

let server: TestServer;
let browser: Browser;

beforeAll(async () => {
	server = await startServer({ authentication: false });
	browser = await launchBrowser();
});
afterAll(async () => {
	await browser.close();
	await server[Symbol.asyncDispose]();
});

const open = (path: string) => openPage(browser, server.url + path);
const pageOf = (dataset: string, tab = "examples") => `/datasets/${encodeURIComponent(dataset)}/${tab}`;
const examplesOf = async (dataset: string) =>
	(await send(server, "GET", `/v1/datasets/${encodeURIComponent(dataset)}/examples`)).examples;

async function chooseFile(page: Page, name: string, text: string): Promise<void> {
	await page.locator("input[type=file]").setInputFiles({ name, mimeType: "text/plain", buffer: Buffer.from(text) });
}

test("a server without datasets says how to make one, which then is the list", async () => {
	await using empty = await startServer({ authentication: false });
	await using watched = await openPage(browser, `${empty.url}/datasets`);
	const { page } = watched;
	await page.getByText("No datasets yet").waitFor();
	await page.getByRole("tab", { name: "curl" }).click();
	// While one tab fades out, the panels of two are there.
	const panel = page.getByRole("tabpanel", { name: "curl" });
	const code = await panel.getByRole("region", { name: "Code", exact: true }).innerText();
	expect(code).toContain(`${empty.url}/v1/datasets/upload`);
	expect(await findAccessibilityViolations(page)).toEqual([]);
	await createQuestions(empty, "from code");
	await page.reload();
	await tableRow(page, "from code").getByText("4", { exact: true }).waitFor();
	expect(watched.problems).toEqual([]);
});

test("a CSV file is previewed, its columns are mapped, and it becomes a dataset", async () => {
	await using watched = await open("/datasets");
	const { page } = watched;
	await page.getByRole("button", { name: "Upload a file" }).first().click();
	await chooseFile(
		page,
		"capitals.csv",
		'id,question,expected,split,topic,junk\n1,"What is ""2 + 2""?",4,train,math,x\n2,"Line\nbreak?",yes,test,,y\n',
	);
	const preview = page.getByRole("region", { name: "First rows" });
	await preview.getByText('What is "2 + 2"?').waitFor();
	const role = (column: string) => page.getByRole("combobox", { name: `Use of ${column}`, exact: true });
	expect(await role("question").inputValue()).toBe("input");
	expect(await role("expected").inputValue()).toBe("output");
	expect(await role("id").inputValue()).toBe("id");
	await role("junk").selectOption("ignored");
	await page.getByRole("textbox", { name: "Name of the dataset" }).fill("capitals and more");
	expect(await findAccessibilityViolations(page)).toEqual([]);
	await page.getByRole("button", { name: "Upload", exact: true }).click();
	await page.getByText("2 examples created").waitFor();
	await page.getByRole("link", { name: "Open the dataset" }).click();
	await expect.poll(() => listRows(page).count()).toBe(2);
	const id = decodeURIComponent(/\/datasets\/([^/]+)\//.exec(page.url())?.[1] ?? "");
	expect(await examplesOf(id)).toMatchObject([
		{
			id: "1",
			input: { question: 'What is "2 + 2"?' },
			output: { expected: "4" },
			metadata: { topic: "math" },
			splits: ["train"],
		},
		{ id: "2", input: { question: "Line\nbreak?" }, output: { expected: "yes" }, metadata: {}, splits: ["test"] },
	]);
	expect(watched.problems).toEqual([]);
});

test("a JSON file with nested objects is dropped, its objects are spread and digits kept", async () => {
	await using watched = await open("/datasets");
	const { page } = watched;
	await page.getByRole("button", { name: "Upload a file" }).first().click();
	const zone = page.getByText("Drop a CSV, JSONL or JSON file here");
	await zone.waitFor();
	const transfer = await page.evaluateHandle(() => {
		const data = new DataTransfer();
		const rows = '[{"input":{"n":12345678901234567890},"output":{"text":"big"}}]';
		data.items.add(new File([rows], "numbers.json", { type: "application/json" }));
		return data;
	});
	await zone.dispatchEvent("drop", { dataTransfer: transfer });
	await page.getByRole("checkbox", { name: "Spread the objects of input into fields" }).waitFor();
	await page.getByRole("button", { name: "Upload", exact: true }).click();
	await page.getByText("1 example created").waitFor();
	const [dataset] = await send(server, "GET", "/v1/datasets?name=numbers");
	const answer = await server.fetch(`/v1/datasets/${encodeURIComponent(dataset.id)}/jsonl`);
	expect(await answer.text()).toContain('"input": {"n": 12345678901234567890}'.replaceAll(": ", ":"));
});

test("a name that is taken and a broken file are said beside where they belong", async () => {
	await createQuestions(server, "taken");
	await using watched = await open("/datasets");
	const { page } = watched;
	await page.getByRole("button", { name: "Upload a file" }).click();
	await chooseFile(page, "broken.jsonl", '{"q": 1}\n{"q": \n');
	await page.getByRole("alert").filter({ hasText: "Line 2 is not a JSON object" }).waitFor();
	await chooseFile(page, "taken.jsonl", '{"question": "Again?"}\n');
	await page.getByRole("button", { name: "Upload", exact: true }).click();
	const name = page.getByRole("textbox", { name: /^Name of the dataset/ });
	await expect.poll(() => name.getAttribute("aria-invalid")).toBe("true");
	await page.getByRole("alert").filter({ hasText: "already exists" }).waitFor();
	await name.fill("free now");
	await page.getByRole("button", { name: "Upload", exact: true }).click();
	await page.getByText("1 example created").waitFor();
	expect(faultsOf(watched)).toEqual([]);
});

test("an upload can be stopped, and sent again", async () => {
	await using watched = await open("/datasets");
	const { page } = watched;
	let isHeld = true;
	await page.route("**/v1/datasets/upload*", async (route) => {
		if (!isHeld) await route.continue();
	});
	await page.getByRole("button", { name: "Upload a file" }).click();
	await chooseFile(page, "stopped.jsonl", '{"question": "Still there?"}\n');
	await page.getByRole("button", { name: "Upload", exact: true }).click();
	await page.getByRole("button", { name: "Stop" }).click();
	await page.getByText("Stopped. Nothing was changed.").waitFor();
	isHeld = false;
	await page.getByRole("button", { name: "Upload", exact: true }).click();
	await page.getByText("1 example created").waitFor();
});

test("rows are added to a dataset, or make it the same as the file", async () => {
	const dataset = await createQuestions(server, "grows and shrinks");
	await using watched = await open(pageOf(dataset));
	const { page } = watched;
	await expect.poll(() => listRows(page).count()).toBe(4);
	const upload = async (text: string, action: RegExp) => {
		await page.getByRole("button", { name: "Add examples" }).click();
		await chooseFile(page, "more.jsonl", text);
		await page.getByRole("radio", { name: action }).check();
		await page.getByRole("button", { name: "Upload", exact: true }).click();
	};
	await upload('{"id":"q1","question":"Changed?"}\n{"id":"q9","question":"New?"}\n', /^Add and change/);
	await page.getByText("1 example created, 1 example changed").waitFor();
	await page.getByRole("button", { name: "Close", exact: true }).last().click();
	await expect.poll(() => listRows(page).count()).toBe(5);
	await upload('{"id":"q9","question":"New?"}\n', /^Make it the same/);
	await page.getByText("4 examples deleted").waitFor();
	await page.getByRole("button", { name: "Close", exact: true }).last().click();
	await expect.poll(() => listRows(page).count()).toBe(1);
	await page.getByRole("link", { name: "Versions" }).click();
	await tableRow(page, "1 example created, 1 changed").waitFor();
	await tableRow(page, "4 deleted").waitFor();
});

test("an example is opened, changed and read as it was, by keyboard", async () => {
	const dataset = await createQuestions(server, "changes");
	await using watched = await open(pageOf(dataset));
	const { page } = watched;
	await listRows(page).first().waitFor();
	await page.keyboard.press("j");
	await page.keyboard.press("j");
	await page.keyboard.press("Enter");
	const panel = page.getByRole("region", { name: "Example", exact: true });
	await panel.getByText("Jane Austen wrote it.").waitFor();
	expect(await findAccessibilityViolations(page)).toEqual([]);
	await page.keyboard.press("e");
	const output = panel.getByRole("textbox", { name: /^Output/ });
	await output.fill('{"answer": ');
	await panel.getByRole("button", { name: "Save" }).click();
	await panel.getByText(/^Not JSON/).waitFor();
	await output.fill('{"answer": "Austen", "n": 12345678901234567890}');
	await page.keyboard.press("Control+Enter");
	await panel.getByText("12345678901234567890").waitFor();
	await panel.getByRole("tab", { name: "History" }).click();
	const states = panel.getByRole("list", { name: "Versions of this example" }).getByRole("button");
	await expect.poll(() => states.count()).toBe(2);
	await states.last().click();
	await panel.getByText("Jane Austen wrote it.").waitFor();
	await page.keyboard.press("Escape");
	await panel.waitFor({ state: "detached" });
	expect(watched.problems).toEqual([]);
});

test("a change over somebody else's is asked about, not made", async () => {
	const dataset = await createQuestions(server, "contested");
	const [example] = await examplesOf(dataset);
	const path = `/v1/datasets/${encodeURIComponent(dataset)}/examples/${encodeURIComponent(example.node_id)}`;
	await using watched = await open(pageOf(dataset));
	const { page } = watched;
	await listRows(page).first().click();
	const panel = page.getByRole("region", { name: "Example", exact: true });
	await panel.getByRole("button", { name: /^Edit the example/ }).click();
	await panel.getByRole("textbox", { name: /^Input/ }).fill('{"question": "Mine?"}');
	await send(server, "PATCH", path, { input: { question: "Theirs?" } });
	await panel.getByRole("button", { name: "Save" }).click();
	await panel.getByText("Somebody else changed this example").waitFor();
	expect((await send(server, "GET", path)).input).toEqual({ question: "Theirs?" });
	await panel.getByRole("button", { name: "Show the current version" }).click();
	await panel.getByText("Theirs?").waitFor();
	expect(faultsOf(watched)).toEqual([]);
});

test("selected examples go into a new split, which filters the list, and older versions can be looked at", async () => {
	const dataset = await createQuestions(server, "divided");
	await using watched = await open(pageOf(dataset));
	const { page } = watched;
	await page.getByRole("checkbox", { name: "Select example q1" }).click();
	await page.getByRole("checkbox", { name: "Select example q2" }).click();
	await page.getByText("2 examples selected").waitFor();
	await page.getByRole("button", { name: "Add to a split" }).click();
	await page.getByRole("menuitem", { name: "New split" }).click();
	await page.getByRole("textbox", { name: "Name" }).fill("hard");
	await page.getByRole("button", { name: "Create" }).click();
	await page.getByRole("combobox", { name: "Split" }).selectOption("hard");
	await expect.poll(() => listRows(page).count()).toBe(2);
	expect(new URL(page.url()).searchParams.get("split")).toBe("hard");
	await page.getByRole("combobox", { name: "Split" }).selectOption("");
	const older = page.getByRole("combobox", { name: "Version" }).locator("option").last();
	await page.getByRole("combobox", { name: "Version" }).selectOption((await older.getAttribute("value")) ?? "");
	await page.getByText("You are viewing the version of").waitFor();
	await expect.poll(() => listRows(page).filter({ hasText: "hard" }).count()).toBe(0);
	expect(await page.getByRole("checkbox").count()).toBe(0);
	await page.getByRole("link", { name: "Splits" }).click();
	await tableRow(page, "hard").getByText("2", { exact: true }).waitFor();
	await page.getByRole("button", { name: "Actions of the split hard" }).click();
	await page.getByRole("menuitem", { name: "Change" }).click();
	await page.getByRole("textbox", { name: "Name" }).fill("very hard");
	await page.getByRole("button", { name: "Save" }).click();
	await tableRow(page, "very hard").waitFor();
	expect(watched.problems).toEqual([]);
});

test("the words over the list find examples, and the address keeps them", async () => {
	const dataset = await createQuestions(server, "searched");
	await using watched = await open(pageOf(dataset));
	const { page } = watched;
	await listRows(page).first().waitFor();
	await page.keyboard.press("/");
	await page.keyboard.type("austen");
	await expect.poll(() => listRows(page).count()).toBe(1);
	await page.reload();
	await expect.poll(() => listRows(page).count()).toBe(1);
});

test("a dataset is renamed, labelled, found by its label, downloaded and deleted", async () => {
	const dataset = await createQuestions(server, "to be renamed");
	await using watched = await open(pageOf(dataset));
	const { page } = watched;
	await page.getByRole("button", { name: "Actions of the dataset" }).click();
	await page.getByRole("menuitem", { name: "Rename or describe" }).click();
	await page.getByRole("textbox", { name: "Name" }).fill("renamed");
	await page.getByRole("button", { name: "Save" }).click();
	await page.getByRole("heading", { level: 1, name: "renamed" }).waitFor();
	await page.getByRole("button", { name: "Choose labels" }).click();
	await page.getByRole("textbox", { name: "Name of the label" }).fill("golden");
	await page.getByRole("button", { name: "Add", exact: true }).click();
	await page.getByRole("checkbox", { name: "golden" }).waitFor();
	await page.keyboard.press("Escape");
	await page.getByRole("button", { name: "Download" }).click();
	const [download] = await Promise.all([
		page.waitForEvent("download"),
		page.getByRole("menuitem", { name: "CSV" }).click(),
	]);
	expect(download.suggestedFilename()).toBe("renamed.csv");
	await page.goto(`${server.url}/datasets`);
	await tableRow(page, "renamed").getByRole("button", { name: "golden" }).click();
	await expect.poll(() => page.locator("tbody tr").count()).toBe(1);
	await page.getByRole("link", { name: "renamed" }).click();
	await page.getByRole("button", { name: "Actions of the dataset" }).click();
	await page.getByRole("menuitem", { name: "Delete dataset" }).click();
	const confirm = page.getByRole("dialog").getByRole("button", { name: "Delete dataset" });
	expect(await confirm.isDisabled()).toBe(true);
	await page.getByRole("textbox", { name: "Write renamed to confirm" }).fill("renamed");
	await confirm.click();
	await page.waitForURL(`${server.url}/datasets`);
	expect((await server.fetch(`/v1/datasets/${encodeURIComponent(dataset)}`)).status).toBe(404);
	expect(watched.problems).toEqual([]);
});

test("a span becomes an example of a new dataset, from the trace page", async () => {
	await replay(server, [TRIP]);
	const [trace] = readExpected(TRIP).traces;
	if (trace === undefined) throw new Error(`${TRIP} has no traces`);
	await using watched = await open(`/p/trip-planner-http/traces/${trace.traceId}`);
	const { page } = watched;
	await page.getByRole("button", { name: "Add to a dataset" }).click();
	await page.getByRole("textbox", { name: /^Find a dataset/ }).fill("from traces");
	await page.getByRole("textbox", { name: "Split" }).fill("train");
	expect(await findAccessibilityViolations(page)).toEqual([]);
	await page.getByRole("button", { name: "Create and add" }).click();
	await page.getByText("Added to from traces.").waitFor();
	await page.getByRole("link", { name: "Open the dataset" }).click();
	await listRows(page)
		.filter({ hasText: trace.rootInputText ?? "" })
		.click();
	await page.getByRole("link", { name: "Open the span" }).click();
	await page.waitForURL(`**/traces/${trace.traceId}*`);
	expect(watched.problems).toEqual([]);
});

test("an address of a dataset that is not there says so", async () => {
	await using watched = await open(pageOf(btoa("Dataset:999999")));
	await watched.page.getByRole("heading", { level: 2, name: "There is no such dataset" }).waitFor();
	await watched.page.getByRole("link", { name: "All datasets" }).click();
	await watched.page.getByRole("heading", { level: 1, name: "Datasets" }).waitFor();
	expect(faultsOf(watched)).toEqual([]);
});

test("the palette finds a dataset by its name", async () => {
	await createQuestions(server, "found by name");
	await using watched = await open("/");
	const { page } = watched;
	await page.getByRole("heading", { level: 1 }).waitFor();
	await page.keyboard.press("Control+k");
	await page.getByRole("combobox", { name: "Go to or search" }).fill("found by");
	await page.getByRole("option", { name: "found by name" }).waitFor();
	await page.getByRole("option", { name: "found by name" }).click();
	await expect.poll(() => listRows(page).count()).toBe(QUESTIONS.length);
});

test("a viewer reads, and is offered nothing that writes", async () => {
	await using guarded = await startWithAuth();
	const member = await logInAs(guarded, "MEMBER");
	const body = { name: "read only", inputs: [{ question: "Why?" }] };
	const { dataset_id: dataset } = await member.data("POST", "/v1/datasets/upload?sync=true", body);
	const viewer = await createAccount(guarded, "VIEWER");
	await using watched = await openPage(browserOf(browser, guarded, viewer), `${guarded.url}/datasets`);
	const { page } = watched;
	await tableRow(page, "read only").waitFor();
	expect(await page.getByRole("button", { name: /Upload|New dataset/ }).count()).toBe(0);
	await page.getByRole("link", { name: "read only" }).click();
	await listRows(page).first().click();
	const panel = page.getByRole("region", { name: "Example", exact: true });
	await panel.getByText("Why?").waitFor();
	await page.keyboard.press("e");
	expect(await page.getByRole("button", { name: /Add examples|Actions of|Choose labels|Edit|Delete/ }).count()).toBe(0);
	expect(await page.getByRole("checkbox").count()).toBe(0);
	expect(await page.getByRole("button", { name: "Download" }).count()).toBe(1);
	await page.goto(`${guarded.url}${pageOf(dataset, "splits")}`);
	await page.getByText("No splits yet").waitFor();
	expect(await page.getByRole("button", { name: "New split" }).count()).toBe(0);
	expect(watched.problems).toEqual([]);
});
