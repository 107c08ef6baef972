import { expect, it } from "vitest";
import { visitor } from "../page/support/visitor.ts";
import { world } from "../page/support/world.ts";

it.each(["/.//evil.example/x", "/a/..//evil.example", "/%2e//evil.example", "/./\\evil.example", "//evil.example"])(
  "who signs in by a link with return=%s stays on this page",
  async (place) => {
    const { page } = await world();
    const token = new URL(page.invite()).searchParams.get("token");
    const entered = await visitor(page).get(`/sign-in?token=${token}&return=${encodeURIComponent(place)}`);
    expect(entered.status).toBe(303);
    const { location } = entered.headers;
    expect(new URL(String(location), "http://page.invalid").origin).toBe("http://page.invalid");
  },
);
