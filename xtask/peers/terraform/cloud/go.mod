module peers/cloud

go 1.25
