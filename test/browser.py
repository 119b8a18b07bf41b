# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Headless Chromium for tests: what a page draws, what it says on its console, what it
asks for."""

import io
import json
import os
import shutil
from contextlib import contextmanager

import numpy as np
import pytest
from PIL import Image

FLAGS = (
    "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run "
    "--disable-background-networking "
    "--disable-component-update --disable-sync --use-gl=angle --use-angle=swiftshader "
    "--enable-unsafe-swiftshader "
    "--disable-dev-shm-usage --hide-scrollbars"
).split()
INSIDE = (
    "data:",
    "blob:",
    "file:",
    "about:",
    "chrome",
    "devtools:",
    "http://127.0.0.1",
    "ws://127.0.0.1",
)


# [px] of windows, from a telephone to a wide screen
WINDOWS = (360, 768, 1024, 1366, 1600, 1920)
# of the page and of the column of text, which the site lets scroll in small windows
WIDER_THAN_ITS_BOX = """
const boxes = [document.scrollingElement, document.querySelector(".content")];
return Math.max(...boxes.filter(box => box).map(box => box.scrollWidth - box.clientWidth))"""
SLOWEST_PAGE = 300.0  # [s] for a page with a scene on a busy machine


class Page:
    """An open page."""

    def __init__(self, driver):
        self.driver = driver

    def open(self, address, width=1280):
        self.resize(width)
        self.driver.get(address)

    def resize(self, width, height=800):
        self.driver.execute_cdp_cmd(
            "Emulation.setDeviceMetricsOverride",
            {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False},
        )

    def sideways(self, height=800):
        """How far [px] the page scrolls sideways in windows of these widths [px]."""
        found = {}
        for width in WINDOWS:
            self.resize(width, height)
            found[width] = self.driver.execute_script(WIDER_THAN_ITS_BOX)
        return {width: pixels for width, pixels in found.items() if pixels > 0}

    def shown(self, script):
        """What a script returns as soon as that is something."""
        from selenium.webdriver.support.wait import WebDriverWait

        return WebDriverWait(self.driver, SLOWEST_PAGE).until(
            lambda driver: driver.execute_script(script)
        )

    def pixels(self):
        """(height, width, 3) of what is seen."""
        return np.asarray(
            Image.open(io.BytesIO(self.driver.get_screenshot_as_png())).convert("RGB")
        ).astype(int)

    def save(self, path):
        path.write_bytes(self.driver.get_screenshot_as_png())

    def errors(self):
        """What the console says of level error, once."""
        return [
            entry["message"]
            for entry in self.driver.get_log("browser")
            if entry["level"] == "SEVERE"
        ]

    def requests(self):
        """Addresses asked for since the last call."""
        events = (
            json.loads(entry["message"])["message"]
            for entry in self.driver.get_log("performance")
        )
        return [
            event["params"]["request"]["url"]
            for event in events
            if event["method"] == "Network.requestWillBeSent"
        ] + [
            event["params"]["url"]
            for event in events
            if event["method"] == "Network.webSocketCreated"
        ]

    def outside(self):
        """Of these, what is not on this machine."""
        return [
            address for address in self.requests() if not address.startswith(INSIDE)
        ]


@contextmanager
def chromium(folder):
    """A browser with a fresh profile in a folder; the test is skipped where there is
    none."""
    webdriver = pytest.importorskip(
        "selenium.webdriver", reason="selenium is not installed"
    )
    browser = shutil.which("chromium")
    driver = shutil.which("chromedriver")
    if not (browser and driver):
        pytest.skip(
            "no chromium and chromedriver (Debian packages chromium, chromium-driver) "
            "on this machine"
        )
    options = webdriver.ChromeOptions()
    options.binary_location = browser
    for flag in (*FLAGS, f"--user-data-dir={folder}"):
        options.add_argument(flag)
    options.set_capability(
        "goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"}
    )
    service = webdriver.ChromeService(executable_path=driver, log_output=os.devnull)
    opened = webdriver.Chrome(options=options, service=service)
    opened.set_script_timeout(SLOWEST_PAGE)
    try:
        yield Page(opened)
    finally:
        opened.quit()
