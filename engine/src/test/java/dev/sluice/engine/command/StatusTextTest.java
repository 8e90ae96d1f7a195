package dev.sluice.engine.command;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import org.junit.jupiter.api.Test;

class StatusTextTest {
  @Test
  void itSaysSinceWhenChangesAreCountedAndCountsOneAsOne() throws Exception {
    String text =
        new StatusText(
                new ObjectMapper()
                    .readTree(
                        """
                        {"task": "orders", "started": "2026-11-21T10:00:00Z",
                         "backlog": {"changes": 1},
                         "tables": [{"schema": "shop", "table": "noted", "conflicts": 1}]}
                        """))
            .text();
    assertThat(text)
        .contains("since the daemon's start at 2026-11-21T10:00:00Z")
        .contains("1 change; memory")
        .contains("1 change, see sluice_apply_exceptions");
  }
}
