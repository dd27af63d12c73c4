/* SPDX-License-Identifier: MIT */
/* The example of bankmodel.h, in C. */
#include <stdio.h>
#include "bankmodel.h"
int main(void) {
  bankmodel_cost cost[2];
  const char* name = "W";
  const int64_t widths[] = {32, 33};
  char* error = NULL;
  int code = bankmodel_totals("sm_90", "block 32 32\nshared float t[32][W]\nload t[tx][ty]\n", 1,
                              &name, 2, widths, cost, &error);
  if (code != 0 || cost[0].wavefronts != 1024 || cost[1].wavefronts != 32 || error != NULL)
    return 1;
  code = bankmodel_totals("sm_91", "block 32", 0, NULL, 1, NULL, cost, &error);
  if (code != 2 || error == NULL) return 2;
  bankmodel_free(error);
  puts(bankmodel_version());
  return bankmodel_abi() == BANKMODEL_ABI ? 0 : 3;
}
